/*
 * wrap_exec.c - exec and posix_spawn: our environment variables are passed on to the next program.
 *
 * The next program gets the environment that the target passes, with our variables (PF_...) added
 * where they are missing. The list is built on the stack: nothing else is safe between fork and
 * exec.
 */
#include "reporter.h"
#include "wrap_libc.h"
#include <spawn.h>
#include <unistd.h>

extern char **environ;
static char *ours[64]; /* as the process was started with them; the target may unset its own */

static bool is_ours(const char *s) { return s[0] == 'P' && s[1] == 'F' && s[2] == '_'; }

static bool same_name(const char *a, const char *b)
{
    while (*a == *b && *a && *a != '=')
        a++, b++;
    return *a == '=' && *b == '=';
}

static bool has(char *const *env, const char *entry)
{
    for (; env && *env; env++)
        if (same_name(*env, entry))
            return true;
    return false;
}

static size_t count(char *const *list)
{
    size_t n = 0;
    while (list && list[n])
        n++;
    return n;
}

/* Programs that a recorded program starts are not recorded; PF_RECORDED keeps them from printing a
 * message about that among their own output. */
void pf_exec_init(char **env)
{
    static char recorded[] = "PF_RECORDED=1";
    size_t n = 0;
    for (; *env && n + 1 < sizeof ours / sizeof *ours; env++) {
        if (pf_directed() && same_name(*env, PF_CHANNEL_ENV "="))
            *env = recorded;
        if (is_ours(*env))
            ours[n++] = *env;
    }
}

/* The environment `given` with our variables added, in `room`, which has space for both. */
static char *const *complete(char **room, char *const *given)
{
    size_t n = 0;
    for (; given && *given; given++)
        room[n++] = *given;
    room[n] = NULL;
    for (char **e = ours; *e; e++)
        if (!has(room, *e)) {
            room[n++] = *e;
            room[n] = NULL;
        }
    return room;
}
#define ROOM(given) (count(given) + count(ours) + 1)

/* A successful exec does not return, so the findings log of this program is finished before. The
 * exec is a blocking call, because a deferred signal would stay blocked in the next program. */
#define EXECS(fn, parameters, given, call)                                                         \
    PF_INTERPOSE(int, fn, parameters)                                                              \
    {                                                                                              \
        char *room[ROOM(given)];                                                                   \
        char *const *env = complete(room, given);                                                  \
        PF_CALL(c, fn);                                                                            \
        pf_reporter_before_exec();                                                                 \
        pf_channel_child_runs(false);                                                              \
        int r = c.t ? PF_BLOCKING(c, call) : call;                                                 \
        pf_channel_child_runs(true);                                                               \
        pf_reporter_exec_failed();                                                                 \
        return r;                                                                                  \
    }
PF_REAL_EXTERN(execve);
PF_REAL_EXTERN(execvpe);
EXECS(execve, (const char *path, char *const argv[], char *const envp[]), envp,
      PF_REAL(execve)(path, argv, env))
EXECS(execvpe, (const char *path, char *const argv[], char *const envp[]), envp,
      PF_REAL(execvpe)(path, argv, env))
EXECS(fexecve, (int fd, char *const argv[], char *const envp[]), envp,
      PF_REAL(fexecve)(fd, argv, env))
EXECS(execveat, (int at, const char *path, char *const argv[], char *const envp[], int flags), envp,
      PF_REAL(execveat)(at, path, argv, env, flags))
EXECS(execv, (const char *path, char *const argv[]), environ, PF_REAL(execve)(path, argv, env))
EXECS(execvp, (const char *path, char *const argv[]), environ, PF_REAL(execvpe)(path, argv, env))

/* The variants that take the arguments as a list. */
static size_t list_length(va_list args)
{
    va_list copy;
    size_t n = 1;
    va_copy(copy, args);
    while (va_arg(copy, char *))
        n++;
    va_end(copy);
    return n;
}
#define EXECS_LIST(fn, next, ...)                                                                  \
    PF_PROVIDE(int, fn, (const char *path, const char *arg, ...))                                  \
    {                                                                                              \
        va_list args;                                                                              \
        va_start(args, arg);                                                                       \
        size_t n = arg ? list_length(args) : 0;                                                    \
        char *argv[n + 1];                                                                         \
        argv[0] = (char *)(uintptr_t)arg;                                                          \
        for (size_t i = 1; i <= n; i++)                                                            \
            argv[i] = va_arg(args, char *);                                                        \
        __VA_ARGS__;                                                                               \
        va_end(args);                                                                              \
        return next;                                                                               \
    }
EXECS_LIST(execl, execv(path, argv))
EXECS_LIST(execlp, execvp(path, argv))
EXECS_LIST(execle, execve(path, argv, envp), char **envp = va_arg(args, char **))

#define SPAWNS(fn)                                                                                 \
    PF_INTERPOSE(int, fn,                                                                          \
                 (pid_t *restrict pid, const char *restrict path,                                  \
                  const posix_spawn_file_actions_t *actions,                                       \
                  const posix_spawnattr_t *restrict attr, char *const argv[], char *const envp[])) \
    {                                                                                              \
        char *room[ROOM(envp)];                                                                    \
        char *const *env = complete(room, envp);                                                   \
        PF_CALL(c, fn);                                                                            \
        if (!c.t)                                                                                  \
            return PF_REAL(fn)(pid, path, actions, attr, argv, env);                               \
        int r = PF_BLOCKING(c, PF_REAL(fn)(pid, path, actions, attr, argv, env));                  \
        if (r == 0 && pid)                                                                         \
            pf_runtime_write(c.t, pid, sizeof *pid, pf_call_id(&c, PF_NATIVE_WRITE));              \
        return r;                                                                                  \
    }
SPAWNS(posix_spawn)
SPAWNS(posix_spawnp)
