/* directed.c - see directed.h. */
#define _GNU_SOURCE
#include "directed.h"
#include "allocation.h"
#include "bodies_cache.h"
#include "channel_host.h"
#include "clip_environment.h"
#include "clip_program.h"
#include "continuation_logs.h"
#include "cores.h"
#include "debugger.h"
#include "event_code.h"
#include "file.h"
#include "libdir.h"
#include "message.h"
#include "pf_abi.h"
#include "wait_status.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Environment variables of every directed run. Their text never changes: it would move the
 * stack. */
static const char *const fixed[] = {PF_CHANNEL_ENV "=987", "GLIBC_TUNABLES=glibc.pthread.rseq=0"};
_Static_assert(PF_CHANNEL_FD == 987, "as in the environment");
#define NFIXED (sizeof fixed / sizeof fixed[0])
#define RUNTIME "/libpf_rt.so"

static bool is_fixed_variable(const char *entry)
{
    size_t n = strcspn(entry, "=");
    for (size_t i = 0; i < NFIXED; i++)
        if (!strncmp(entry, fixed[i], n + 1))
            return true;
    return false;
}

static char **copy_list(char **from, bool environment)
{
    size_t n = 0, k = 0;
    while (from[n])
        n++;
    char **to = pf_mem_zero(n + NFIXED + 2, sizeof *to); /* +1 for LD_PRELOAD, +1 for NULL */
    for (size_t i = 0; i < n; i++)
        if (!environment || !is_fixed_variable(from[i]))
            to[k++] = pf_mem_copy(from[i]);
    for (size_t i = 0; environment && i < NFIXED; i++)
        to[k++] = pf_mem_copy(fixed[i]);
    return to;
}

/* Puts the runtime first in LD_PRELOAD. */
static void preload(char **environment)
{
    static const char key[] = PF_PRELOAD_KEY;
    char **e = environment, *before = NULL;
    while (*e && strncmp(*e, key, sizeof key - 1))
        e++;
    if (*e)
        before = *e + sizeof key - 1;
    bool more = before && *before;
    char *entry =
        pf_mem_format("%s%s%s%s", key, PF_PRELOAD_PATH, more ? ":" : "", more ? before : "");
    free(*e);
    *e = entry;
}

/* Finds the runtime that is preloaded into programs without one. Returns its hash; 0 with an
 * error. */
static uint64_t find_runtime(char path[PATH_MAX], struct pf_error *e)
{
    const char *folder = pf_libdir_find(RUNTIME);
    uint64_t build = 0;
    if (!folder) {
        (void)!pf_fail(e, PF_IO,
                       "cannot find libpf_rt.so; expected it in ../lib/photofinish relative to the "
                       "folder of pf, or in $PF_LIBDIR");
        return 0;
    }
    snprintf(path, PATH_MAX, "%s%s", folder, RUNTIME);
    return pf_clip_hash_file(path, &build, e) == PF_OK ? build : 0;
}

pf_status pf_directed_log(const char *folder, char **out, struct pf_error *e)
{
    *out = NULL;
    if (!folder)
        return PF_OK;
    pf_status s = pf_folder_make(folder, e);
    if (s == PF_OK && !(*out = realpath(folder, NULL)))
        s = pf_fail(e, PF_IO, "%s: %s", folder, strerror(errno));
    return s;
}

void pf_directed_print_errors(const char *verb, const struct pf_clip_end *end)
{
    pf_note(verb, "%u memory error%s, first: %s", end->errors, end->errors == 1 ? "" : "s",
            end->error);
}

pf_status pf_directed_describe(struct pf_clip_meta *m, const char *path, char **argv,
                               const struct pf_directed *d, struct pf_error *e)
{
    *m = (struct pf_clip_meta){.abi = PF_ABI_VERSION, .traced = d->tracing ? PF_CODE_VERSION : 0};
    struct rlimit stack;
    m->watched = d->watch || d->tracing;
    m->memory = d->memory;
    m->stack = getrlimit(RLIMIT_STACK, &stack) == 0 ? stack.rlim_cur : 0;
    m->tool = pf_mem_copy(PF_VERSION);
    m->program = realpath(path, NULL);
    if (!m->program)
        return pf_fail(e, PF_IO, "%s: %s", path, strerror(errno));
    m->cwd = getcwd(NULL, 0);
    if (!m->cwd)
        return pf_fail(e, PF_IO, "working folder: %s", strerror(errno));
    m->argv = copy_list(argv, false);
    m->env = copy_list(environ, true);
    m->schedule = pf_mem_copy(d->schedule);
    m->exclude = pf_mem_copy(d->exclude);
    m->without_lock = pf_mem_copy(d->without_lock);
    m->served = pf_mem_copy(d->served);
    m->race = d->flip ? pf_mem_copy_n(d->flip, strcspn(d->flip, "@")) : NULL;
    char runtime[PATH_MAX];
    if (d->bare && !(m->runtime = find_runtime(runtime, e)))
        return PF_IO;
    if (d->bare)
        preload(m->env);
    pf_status s = pf_environment_choose(m, d->keep_env, d->redact, e);
    if (s != PF_OK)
        return s;
    return pf_clip_hash_file(m->program, &m->build, e);
}

static pf_status set_text(char *to, size_t size, const char *from, const char *what,
                          struct pf_error *e)
{
    if (from && strlen(from) >= size)
        return pf_fail(e, PF_BAD, "--%s: longer than %zu bytes", what, size - 1);
    strcpy(to, from ? from : "");
    return PF_OK;
}

/* Copies the options that only recordings have into the channel. */
static pf_status set_record_options(struct pf_channel *c, const struct pf_directed *d,
                                    struct pf_error *e)
{
    char plan[PATH_MAX], folder[PATH_MAX];
    if (d->plan && *d->plan == '/') /* possibly a file in memory, which has no real path */
        snprintf(plan, sizeof plan, "%s", d->plan);
    else if (d->plan && !realpath(d->plan, plan))
        return pf_fail(e, PF_IO, "%s: %s", d->plan, strerror(errno));
    if (d->folder && !realpath(d->folder, folder))
        return pf_fail(e, PF_IO, "%s: %s", d->folder, strerror(errno));
    if (d->continuations > PF_CONTINUATIONS)
        return pf_fail(e, PF_BAD, "--continue=%u: at most %d", d->continuations, PF_CONTINUATIONS);
    c->continuations = d->continuations;
    c->first = d->first;
    c->keep = d->only_news ? PF_KEEP_NEWS : PF_KEEP_ALL;
    c->covers = d->only_news || d->behaviours;
    c->each_ns = d->each_ms * 1000000;
    c->all_ns = d->all_ms * 1000000;
    c->allow_outside = d->allow_outside || !(d->only_news || d->resident);
    c->jobs = d->jobs;
    c->ordered = d->ordered;
    c->inside = d->inside || d->ordered;
    pf_status s = set_text(c->plan, sizeof c->plan, d->plan ? plan : NULL, "plan", e);
    if (s == PF_OK)
        s = set_text(c->choices, sizeof c->choices, d->choices, "choices", e);
    if (s == PF_OK)
        s = set_text(c->flip, sizeof c->flip, d->flip, "flip", e);
    if (s == PF_OK)
        s = set_text(c->at, sizeof c->at, d->at, "at", e);
    if (s == PF_OK)
        s = set_text(c->tail, sizeof c->tail, d->tail, "tail", e);
    if (s == PF_OK)
        s = set_text(c->folder, sizeof c->folder, d->folder ? folder : NULL, "folder", e);
    if (s == PF_OK && d->behaviours)
        s = pf_behaviours_read(c, d->behaviours, e);
    return s;
}

/* Creates the channel and fills in its settings. */
static pf_status make_host(struct pf_channel_host **h, bool replay, const struct pf_clip *clip,
                           const struct pf_directed *d, struct pf_error *e)
{
    uint8_t use[PF_STREAMS];
    for (int s = 0; s < PF_STREAMS; s++)
        use[s] = PF_STREAM_IS_EVENTS(s)    ? (d->tracing ? PF_RING_WRITE : PF_RING_OFF)
                 : s == PF_STREAM_SYMBOLIC ? (d->symbolic && !replay ? PF_RING_WRITE : PF_RING_OFF)
                                           : (replay ? PF_RING_READ : PF_RING_WRITE);
    pf_status s = pf_channel_host_new(h, use, clip, e);
    if (s != PF_OK)
        return s;
    struct pf_channel *c = pf_channel_host_channel(*h);
    c->mode = replay ? PF_DIRECT_REPLAY : PF_DIRECT_RECORD;
    c->tracing = d->tracing;
    c->watch = d->watch || (replay && clip->meta.watched);
    c->quiet = d->quiet;
    c->memory = replay ? clip->meta.memory : d->memory;
    c->output_wanted = d->output_stack != NULL;
    c->output_fd = d->output_fd;
    c->output_at = d->output_at;
    c->debug = d->gdb != NULL;
    const char *schedule = replay ? clip->meta.schedule : d->schedule;
    const char *exclude = replay ? clip->meta.exclude : d->exclude;
    s = set_text(c->schedule, sizeof c->schedule, schedule, "schedule", e);
    if (s == PF_OK)
        s = set_text(c->exclude, sizeof c->exclude, exclude, "exclude", e);
    if (s == PF_OK)
        s = set_text(c->atomic, sizeof c->atomic, d->atomic, "atomic", e);
    if (s == PF_OK)
        s = set_text(c->findings, sizeof c->findings, d->findings, "findings", e);
    if (s == PF_OK)
        s = set_text(c->until, sizeof c->until, d->until, "until", e);
    if (s == PF_OK)
        s = pf_bodies_cache_settings(c, e);
    c->symbolic = !replay && d->symbolic;
    if (s == PF_OK && c->symbolic)
        s = set_text(c->inputs, sizeof c->inputs, d->symbolic, "input", e);
    c->record_forked = !replay && d->forked;
    if (s == PF_OK && !replay)
        s = set_record_options(c, d, e);
    if (s != PF_OK)
        pf_channel_host_free(*h);
    return s;
}

/* Opens the runtime at the descriptor from which the target's dynamic linker loads it. */
static pf_status open_runtime_for_preload(uint64_t build, struct pf_error *e)
{
    char path[PATH_MAX];
    uint64_t now = find_runtime(path, e);
    if (!now)
        return PF_IO;
    if (now != build)
        return pf_fail(e, PF_BAD,
                       "the program is not instrumented and was recorded with another build of %s; "
                       "replay needs exactly that build",
                       path);
    int fd = open(path, O_RDONLY | O_CLOEXEC), at = fd < 0 ? -1 : dup2(fd, PF_PRELOAD_FD);
    if (fd >= 0)
        close(fd);
    return at < 0 ? pf_fail(e, PF_IO, "%s: %s", path, strerror(errno)) : PF_OK;
}

/* Restricts future children to one core and turns address randomisation off. Where the system
 * refuses, the runtime handles the consequences. */
static void fix_core_and_addresses(struct pf_channel *c)
{
    cpu_set_t all, one;
    unsigned char now[sizeof c->affinity];
    long n = syscall(SYS_sched_getaffinity, 0, sizeof now, now); /* the kernel's size of a set */
    c->affinity_bytes = n > 0 ? (uint32_t)n : 0;
    _Static_assert(sizeof c->affinity <= sizeof(cpu_set_t), "the set has as many bytes");
    memcpy(c->affinity, pf_cores(), c->affinity_bytes);
    personality((unsigned long)personality(0xffffffff) | ADDR_NO_RANDOMIZE);
    if (sched_getaffinity(0, sizeof all, &all))
        return;
    for (int i = CPU_SETSIZE - 1; i >= 0; i--)
        if (CPU_ISSET(i, &all)) {
            CPU_ZERO(&one);
            CPU_SET(i, &one);
            sched_setaffinity(0, sizeof one, &one);
            return;
        }
}

/* Writes the new contents of inputs into an unnamed file that the target can open. */
static pf_status set_served(struct pf_channel *c, const struct pf_clip_meta *m, struct pf_error *e)
{
    c->private_files = m->served != NULL;
    if (!m->served || !*m->served)
        return PF_OK;
    int fd = memfd_create("served", MFD_CLOEXEC);
    size_t n = strlen(m->served), done = 0;
    while (fd >= 0 && done < n) {
        ssize_t k = write(fd, m->served + done, n - done);
        if (k <= 0)
            break;
        done += (size_t)k;
    }
    snprintf(c->served, sizeof c->served, "/proc/%d/fd/%d", (int)getpid(), fd);
    return fd >= 0 && done == n
               ? PF_OK
               : pf_fail(e, PF_IO, "cannot store the new inputs: %s", strerror(errno));
}

/* Closes the file of set_served. */
static void close_served(const struct pf_channel *c)
{
    const char *slash = strrchr(c->served, '/');
    if (slash)
        close(atoi(slash + 1));
}

/* Copies what every run of this description has in common into the channel. */
static pf_status set_what_runs(struct pf_channel *c, const struct pf_clip_meta *m,
                               struct pf_error *e)
{
    pf_status s =
        set_text(c->without_lock, sizeof c->without_lock, m->without_lock, "without-lock", e);
    if (s == PF_OK && c->mode == PF_DIRECT_RECORD)
        s = set_served(c, m, e);
    if (s == PF_OK)
        s = pf_bodies_cache_prepare(c, m->program, e);
    return s == PF_OK ? pf_environment_to_channel(m, c, e) : s;
}

pf_status pf_directed_start(struct pf_channel_host **h, const struct pf_clip_meta *m,
                            const struct pf_directed *d, pid_t *pid, struct pf_error *e)
{
    sigset_t none;
    sigemptyset(&none);
    struct pf_command command = {
        .path = m->program, .argv = m->argv, .env = m->env, .output = PF_OUTPUT_NULL};
    struct pf_command_setup how = {.mask = &none, .output = -1, .on_child = SIG_DFL};
    pf_status s = make_host(h, false, NULL, d, e);
    if (s != PF_OK)
        return s;
    s = pf_channel_host_start(*h, NULL, e);
    if (s == PF_OK) /* its file stays open: the target reads it after this function has returned */
        s = set_what_runs(pf_channel_host_channel(*h), m, e);
    if (s == PF_OK && m->runtime)
        s = open_runtime_for_preload(m->runtime, e);
    if (s == PF_OK) {
        fix_core_and_addresses(pf_channel_host_channel(*h));
        s = pf_command_spawn(&command, &how, pid, e);
    }
    if (s != PF_OK)
        pf_channel_host_free(*h);
    return s;
}

static void note_reaped(void *channel, pid_t pid, int wait)
{
    pf_forked_clips_reaped(channel, pid, wait);
}

/* Runs the target to its end, or until gdb takes it over. */
static pf_status run(struct pf_channel *c, const struct pf_clip_meta *m, struct pf_directed *d,
                     struct pf_child_end *end, struct pf_error *e)
{
    struct pf_child child;
    struct pf_command command = {.path = m->program, .argv = m->argv, .env = m->env};
    struct rlimit own = {0};
    bool differs = m->stack && getrlimit(RLIMIT_STACK, &own) == 0 && own.rlim_cur != m->stack;
    if (differs && setrlimit(RLIMIT_STACK, &(struct rlimit){m->stack, own.rlim_max}))
        return pf_fail(e, PF_IO, "the stack of %s was limited to %llu bytes, cannot set that: %s",
                       m->program, (unsigned long long)m->stack, strerror(errno));
    pf_status s = pf_child_start(&child, &command, e);
    child.reaped = note_reaped;
    child.arg = c;
    if (differs)
        setrlimit(RLIMIT_STACK, &own);
    if (s != PF_OK)
        return s;
    if (d->gdb)
        s = pf_debugger_run(c, &child, d->gdb, d->tell, &d->gdb_status, e);
    pf_child_await(&child, false, end);
    return s;
}

/* The recording is that of a forked child: sets how the child ended. */
static void take_followed(const struct pf_channel *c, const struct pf_clip_meta *m,
                          struct pf_clip_end *end)
{
    const struct pf_forked *k = c->followed ? &c->forked[c->followed - 1] : NULL;
    if (k && k->ended) {
        end->wait = k->wait;
        return;
    }
    if (end->outcome != PF_OUTCOME_NONE)
        return;
    end->outcome = k ? PF_OUTCOME_LOST : PF_OUTCOME_DIVERGED;
    snprintf(end->text, sizeof end->text, k ? "child %s did not end" : "child %s was not forked",
             m->process);
    end->divergence.diverged = !k;
    end->divergence.thread = PF_NO_THREAD;
}

static pf_status run_with_host(struct pf_channel_host *h, struct pf_clip_writer *w,
                               const struct pf_clip_meta *m, struct pf_directed *d,
                               struct pf_child_end *child, struct pf_clip_end *end,
                               struct pf_error *e)
{
    pf_status s = pf_channel_host_start(h, w, e);
    if (s != PF_OK)
        return s;
    if (m->runtime && (s = open_runtime_for_preload(m->runtime, e)) != PF_OK)
        return s;
    s = set_what_runs(pf_channel_host_channel(h), m, e);
    if (s != PF_OK)
        return s;
    fix_core_and_addresses(pf_channel_host_channel(h));
    bool recording = pf_channel_host_channel(h)->mode == PF_DIRECT_RECORD;
    s = run(pf_channel_host_channel(h), m, d, child, e);
    close_served(pf_channel_host_channel(h));
    struct pf_error lost;
    pf_status written = pf_channel_host_close(h, s == PF_OK ? e : &lost);
    if (s != PF_OK)
        return s;
    const struct pf_channel *c = pf_channel_host_channel(h);
    child->started = c->children;
    child->executed = c->executed;
    *end = (struct pf_clip_end){.wait = child->wait,
                                .outcome = c->outcome,
                                .reached = c->reached,
                                .divergence = c->divergence};
    memcpy(end->text, c->text, sizeof end->text - 1);
    end->errors = c->errors;
    snprintf(end->failure, sizeof end->failure, "%s", c->failure);
    end->events = c->events;
    end->threads = c->threads + c->children;
    end->copies = c->copies;
    end->removed_locks = c->removed_locks;
    end->unshown = c->unshown;
    memcpy(end->error, c->error, sizeof end->error - 1);
    if (written == PF_OK)
        written = pf_environment_end(m, c, recording ? w : NULL, end, e);
    if (c->npath)
        take_followed(c, m, end);
    if (c->unwatched)
        return pf_fail(
            e, PF_BAD,
            "%s: nothing could be watched: there is no room for the runtime's memory (is "
            "there a limit on address space, ulimit -v?)",
            m->program);
    if (c->refused[0])
        return pf_fail(e, PF_BAD, "%s: %.*s", m->program, (int)sizeof c->refused - 1, c->refused);
    char signal[PF_SIGNAL_TEXT];
    if (c->owner == 0 && WIFSIGNALED(child->wait))
        return pf_fail(e, PF_IO, "%s: %s ended it before it ran in directed mode", m->program,
                       pf_signal_text(signal, child->wait));
    if (c->owner == 0)
        return pf_fail(
            e, PF_BAD,
            m->runtime
                ? "%s: did not run in directed mode: the runtime was not loaded"
                : "%s: did not run in directed mode; build it with the pf cc of this installation",
            m->program);
    return written;
}

pf_status pf_directed_record(const struct pf_clip_meta *m, const char *file,
                             const struct pf_directed *d, struct pf_child_end *child,
                             struct pf_clip_end *end, struct pf_error *e)
{
    struct pf_channel_host *h;
    struct pf_clip_writer *w;
    struct pf_directed how = *d;
    pf_status s = pf_clip_create(&w, file, m, e);
    if (s != PF_OK)
        return s;
    s = make_host(&h, false, NULL, d, e);
    if (s == PF_OK) {
        char whole[PATH_MAX]; /* so that the target can finish the file if pf is killed */
        struct pf_channel *c = pf_channel_host_channel(h);
        if (realpath(file, whole))
            strcpy(c->file, whole);
        if (m->process && !pf_forked_path_read(m->process, c->path, &c->npath))
            c->npath = 0;
        if (d->forked)
            pf_forked_clips_remove(file);
        s = run_with_host(h, w, m, &how, child, end, e);
        if (s == PF_OK)
            s = pf_clip_finish(w, end, e);
        if (d->ends)
            memcpy(d->ends, pf_channel_host_channel(h)->continuation,
                   d->continuations * sizeof *d->ends);
        if (s == PF_OK && d->forked)
            s = pf_forked_clips_write(d->forked, c, file, end, e);
        if (s == PF_OK && d->at && end->outcome == PF_OUTCOME_STOPPED)
            s = pf_continuation_logs_join(pf_channel_host_channel(h), file, d->list, e);
        if (s == PF_OK && d->behaviours)
            s = pf_behaviours_write(pf_channel_host_channel(h), d->behaviours, e);
        pf_channel_host_free(h);
    }
    pf_clip_writer_free(w);
    return s;
}

static pf_status same_abi(const struct pf_clip *clip, struct pf_error *e)
{
    if (clip->meta.abi == PF_ABI_VERSION)
        return PF_OK;
    return pf_fail(
        e, PF_BAD,
        "%s: recorded with version %u of the runtime interface, but this pf has version %d",
        clip->path, clip->meta.abi, PF_ABI_VERSION);
}

/* Enters the folder in which the clip was recorded. A replay opens no file, so if
 * the folder does not exist here, the current one will do. */
static pf_status enter_folder(const struct pf_clip *clip, struct pf_error *e)
{
    if (chdir(clip->meta.cwd) == 0 || errno == ENOENT || errno == ENOTDIR)
        return PF_OK;
    return pf_fail(e, PF_IO, "%s: cannot enter the folder it was recorded in, %s: %s", clip->path,
                   clip->meta.cwd, strerror(errno));
}

/* Replays the clip; the program is executed under this path. */
static pf_status replay_as(const struct pf_clip *clip, char *program, const char *file,
                           struct pf_directed *d, struct pf_child_end *child,
                           struct pf_clip_end *end, struct pf_error *e)
{
    struct pf_channel_host *h;
    struct pf_clip_writer *w = NULL;
    struct pf_clip_meta meta = clip->meta;
    meta.traced = PF_CODE_VERSION;
    pf_status s = PF_OK;
    if (file && (s = pf_clip_create(&w, file, &meta, e)) != PF_OK)
        return s;
    s = enter_folder(clip, e);
    if (s == PF_OK)
        s = make_host(&h, true, clip, d, e);
    if (s == PF_OK) {
        struct pf_clip_meta here = clip->meta;
        here.program = program;
        s = run_with_host(h, w, &here, d, child, end, e);
        const struct pf_channel *c = pf_channel_host_channel(h);
        if (d->output_stack) {
            snprintf(d->output_stack, d->output_room, "%s", c->output_stack);
            memcpy(d->output_bytes, c->output_bytes, sizeof c->output_bytes);
            d->output_length = c->output_length;
        }
        if (s == PF_OK && w)
            s = pf_clip_finish(w, end, e);
        pf_channel_host_free(h);
    }
    pf_clip_writer_free(w);
    return s;
}

pf_status pf_directed_replay(const struct pf_clip *clip, const char *file, struct pf_directed *d,
                             struct pf_child_end *child, struct pf_clip_end *end,
                             struct pf_error *e)
{
    struct pf_program_alias alias = {.path = NULL};
    char *program = NULL;
    pf_status s = same_abi(clip, e);
    if (s == PF_OK)
        s = pf_clip_program_find(clip, d->program, &program, e);
    if (s == PF_OK)
        s = pf_program_alias_make(&alias, program, clip->meta.program, e);
    free(program);
    if (s == PF_OK)
        s = replay_as(clip, alias.path, file, d, child, end, e);
    pf_program_alias_remove(&alias);
    return s;
}
