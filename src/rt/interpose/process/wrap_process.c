/*
 * wrap_process.c - start, fork and end of a process.
 *
 * End: the summary comes after all code of the target, including exit handlers and destructors. The
 * dynamic linker's finalizer is the first exit handler to be registered and so the last to run.
 * The startup code passes it to __libc_start_main, which is interposed and passes on a function of
 * ours instead. That function calls the finalizer first. The exits that skip exit handlers (_exit,
 * quick_exit) are interposed. A crash has no summary, but ends the log.
 *
 * Fork: our pthread_atfork handlers are registered first, so they run next to the fork itself,
 * whichever function calls it. Between them the runtime's locks are held and the target's events
 * are ignored. They are registered for no object, because at exit libc removes the handlers of the
 * executable, even while another thread is between the two handlers of a fork.
 *
 * Order: the registration of an exit handler happens before the handlers run. They all run in the
 * thread that ends the process, so one sync object is enough for all of them.
 */
#include "mode_ops.h"
#include "reporter.h"
#include "rt.h"
#include "thread_record.h"
#include "wrap_fd.h"
#include "wrap_signal.h"
#include <dlfcn.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static char exit_handlers; /* only its address is used: the sync object of the order above */

/* Reports what is only known at the end. Returns the wanted exit status; 0: keep the program's. */
static int summarise(void)
{
    pf_thread_record_process_ends();
    return pf_reporter_summary();
}

PF_REAL_EXTERN(_exit);
static _Noreturn void exit_at_once(int status)
{
    pf_mode->before_exit();
    pf_reporter_exits(status);
    int wanted = summarise();
    PF_REAL(_exit)(wanted ? wanted : status);
    __builtin_unreachable();
}
PF_INTERPOSE(__attribute__((noreturn)) void, _exit, (int status)) { exit_at_once(status); }
PF_INTERPOSE(__attribute__((noreturn)) void, _Exit, (int status)) { exit_at_once(status); }

static void acquire_exit_handlers(void)
{
    struct pf_thread *t = pf_self();
    if (t)
        pf_order_unnested(t, pf_hb_acquire, &exit_handlers);
}
PF_INTERPOSE(__attribute__((noreturn)) void, exit, (int status))
{
    pf_mode->before_exit();
    pf_reporter_exits(status);
    acquire_exit_handlers();
    PF_REAL(exit)(status);
    __builtin_unreachable();
}

/* The last step before stdio is flushed. If the runtime replaces the exit status, it does so
 * here. */
static void end(void)
{
    pf_wait_at_exit(); /* libc itself may have called exit */
    int wanted = summarise();
    if (!wanted)
        return;
    fflush(NULL);
    PF_REAL(_exit)(wanted);
}

static int (*target_main)(int, char **, char **);
static void (*linker_end)(void);

static int begin(int argc, char **argv, char **env)
{
    struct pf_thread *t = __pf_tls.thread;
    if (t)
        t->stack_base = (uintptr_t)__builtin_frame_address(0);
    int status = target_main(argc, argv, env);
    pf_mode->before_exit();
    pf_reporter_exits(status);
    acquire_exit_handlers();
    return status;
}
static void end_linker(void)
{
    if (linker_end)
        linker_end();
    end();
}
int __libc_start_main(int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
                      void (*fini)(void), void (*rtld_fini)(void), void *stack);
PF_INTERPOSE(int, __libc_start_main,
             (int (*main)(int, char **, char **), int argc, char **argv, void (*init)(void),
              void (*fini)(void), void (*rtld_fini)(void), void *stack))
{
    pf_exec_init(argv + argc + 1);
    target_main = main;
    linker_end = rtld_fini;
    return PF_REAL(__libc_start_main)(begin, argc, argv, init, fini, end_linker, stack);
}

/* The functions that register exit handlers. atexit and at_quick_exit are linked into the program
 * and call these. */
#define REGISTERS(fn, parameters, arguments)                                                       \
    int fn parameters;                                                                             \
    PF_INTERPOSE(int, fn, parameters)                                                              \
    {                                                                                              \
        PF_CALL(c, fn);                                                                            \
        if (c.t)                                                                                   \
            pf_hb_release(c.t, &exit_handlers);                                                    \
        return PF_REAL(fn) arguments;                                                              \
    }
REGISTERS(__cxa_atexit, (void (*f)(void *), void *arg, void *object), (f, arg, object))
REGISTERS(__cxa_at_quick_exit, (void (*f)(void *), void *object), (f, object))
REGISTERS(on_exit, (void (*f)(int, void *), void *arg), (f, arg))
PF_INTERPOSE(__attribute__((noreturn)) void, quick_exit, (int status))
{
    pf_mode->before_exit();
    pf_reporter_exits(status);
    acquire_exit_handlers();
    PF_REAL(quick_exit)(status);
    __builtin_unreachable();
}
/* Unloading a library runs the handlers that were registered for it. */
PF_INTERPOSE(int, dlclose, (void *library))
{
    PF_FRAME_SCOPE(t, dlclose);
    acquire_exit_handlers();
    pf_reporter_before_unload();
    return PF_REAL(dlclose)(library);
}

/* the mode in which the fork in progress began; the child of a directed run may be undirected */
static const struct pf_mode_ops *fork_mode;

static void before_fork(void)
{
    const struct pf_mode_ops *mode = pf_mode;
    mode->before_fork();
    fork_mode = mode;
}
static void after_fork(bool child)
{
    fork_mode->after_fork(child);
    /* a replay creates no process: the replaying process itself becomes the child */
    bool replayed = pf_direct.mode == PF_DIRECT_REPLAY;
    if (child && !replayed) {
        pf_reporter_after_fork();
        pf_crash_after_fork();
    }
    pf_unnest();
    if (__pf_tls.thread)
        pf_signal_poll_if_pending(__pf_tls.thread);
}
static void in_parent(void) { after_fork(false); }
static void in_child(void) { after_fork(true); }

/* libc's function behind pthread_atfork. */
int __register_atfork(void (*before)(void), void (*in_parent)(void), void (*in_child)(void),
                      void *object);
/* The runtime's handlers, for forks that libc does not know. */
#define FORK_HANDLERS 4
static struct {
    void (*before)(void), (*parent)(void), (*child)(void);
} fork_handlers[FORK_HANDLERS];
static size_t nfork_handlers;

void pf_at_fork(void (*before)(void), void (*parent)(void), void (*child)(void))
{
    __register_atfork(before, parent, child, NULL);
    fork_handlers[nfork_handlers].before = before;
    fork_handlers[nfork_handlers].parent = parent;
    fork_handlers[nfork_handlers++].child = child;
}

/* As libc: the last one that was registered runs first before a fork, and last after it. */
void pf_fork_begins(void)
{
    for (size_t i = nfork_handlers; i; i--)
        fork_handlers[i - 1].before();
}
void pf_fork_ends(bool child)
{
    int err = errno;
    for (size_t i = 0; i < nfork_handlers; i++)
        (child ? fork_handlers[i].child : fork_handlers[i].parent)();
    errno = err;
}

void pf_process_init(void)
{
    pf_at_fork(before_fork, in_parent, in_child);
    at_quick_exit(end);
    pf_crash_init();
}

/* vfork is replaced by fork: a child that shares our memory cannot be watched separately. */
PF_PROVIDE(pid_t, vfork, (void)) { return fork(); }

/* The same without the target's handlers, so ours must be called here. */
PF_INTERPOSE(pid_t, _Fork, (void))
{
    if (!pf_rt.ready)
        return PF_REAL(_Fork)();
    pf_fork_begins();
    pid_t child = PF_REAL(_Fork)();
    pf_fork_ends(child == 0);
    return child;
}

/* clone() without CLONE_VM is a fork whose child calls a function. */
struct cloned_call {
    int (*fn)(void *);
    void *arg;
};
static int run_cloned(void *call)
{
    const struct cloned_call *c = call;
    pf_fork_ends(true);
    return c->fn(c->arg);
}
PF_INTERPOSE(int, clone, (int (*fn)(void *), void *stack, int flags, void *arg, ...))
{
    va_list more;
    va_start(more, arg);
    void *parent_tid = va_arg(more, void *), *tls = va_arg(more, void *);
    void *child_tid = va_arg(more, void *);
    va_end(more);
    if (!pf_rt.ready || !pf_mode->clone_forks || flags & CLONE_VM)
        return PF_REAL(clone)(fn, stack, flags, arg, parent_tid, tls, child_tid);
    struct cloned_call call = {fn, arg};
    pf_fork_begins();
    int child = PF_REAL(clone)(run_cloned, stack, flags, &call, parent_tid, tls, child_tid);
    pf_fork_ends(false);
    return child;
}

/* libc's own would end the parent without calling our _exit. */
PF_PROVIDE(int, daemon, (int keep_directory, int keep_output))
{
    pid_t child = fork();
    if (child < 0)
        return -1;
    if (child)
        _exit(0);
    if (setsid() < 0)
        return -1;
    if (!keep_directory && chdir("/") < 0)
        return -1;
    if (keep_output)
        return 0;
    int null = open("/dev/null", O_RDWR);
    if (null < 0)
        return -1;
    for (int fd = 0; fd <= 2; fd++)
        dup2(null, fd);
    if (null > 2)
        close(null);
    return 0;
}

/* The end of a child makes no order, because its memory is separate; but the calls may block. */
#define WAITS(result, fn, parameters, call, ...)                                                   \
    PF_INTERPOSE_BLOCKING(result, fn, parameters, call, , __VA_ARGS__)
#define STATUS_WRITTEN                                                                             \
    if (r > 0 && status)                                                                           \
        pf_runtime_write(c.t, status, sizeof *status, pf_call_id(&c, PF_NATIVE_WRITE));            \
    if (r > 0 && (!status || WIFSIGNALED(*status)))                                                \
    pf_reporter_child_died(r, status ? WTERMSIG(*status) : 0)
WAITS(pid_t, wait, (int *status), PF_REAL(wait)(status), STATUS_WRITTEN)
WAITS(pid_t, waitpid, (pid_t pid, int *status, int options), PF_REAL(waitpid)(pid, status, options),
      STATUS_WRITTEN)
WAITS(pid_t, wait4, (pid_t pid, int *status, int options, struct rusage *use),
      PF_REAL(wait4)(pid, status, options, use), STATUS_WRITTEN)
pid_t wait3(int *status, int options, struct rusage *use);
WAITS(pid_t, wait3, (int *status, int options, struct rusage *use),
      PF_REAL(wait3)(status, options, use), STATUS_WRITTEN)
static void check_child(struct pf_call *c, int r, const siginfo_t *info)
{
    if (r || !info)
        return;
    pf_runtime_write(c->t, info, sizeof *info, pf_call_id(c, PF_NATIVE_WRITE));
    if (info->si_signo == SIGCHLD && (info->si_code == CLD_KILLED || info->si_code == CLD_DUMPED))
        pf_reporter_child_died(info->si_pid, info->si_status);
}
WAITS(int, waitid, (idtype_t type, id_t id, siginfo_t *info, int options),
      PF_REAL(waitid)(type, id, info, options), check_child(&c, r, info))
WAITS(int, system, (const char *command), PF_REAL(system)(command))
