/* try_all.c - see try_all.h. */
#define _GNU_SOURCE
#include "try_all.h"
#include "directed.h"
#include "duration.h"
#include "message.h"
#include "recorded_stdin.h"
#include "search_stop.h"
#include "try_shared.h"
#include "vec.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#define VERB "hatch"
#define LIMIT_MS 60000 /* for one try, and without progress of those that are tried together */

bool pf_try_all_stopped(const struct pf_try_all *r)
{
    return pf_interrupted() || (r->limit_ms && pf_now_ms() - r->began >= r->limit_ms);
}

static void progress(const struct pf_try_all *r, size_t done)
{
    if (!isatty(STDERR_FILENO))
        return;
    size_t real = 0, width = 30, filled = r->n ? done * width / r->n : width;
    for (size_t i = 0; i < r->n; i++)
        real += pf_try_happened(r->items[i].result);
    fprintf(stderr, "\r\033[Kpf hatch: [%.*s%*s] %zu of %zu tried, %zu real", (int)filled,
            "##############################", (int)(width - filled), "", done, r->n, real);
}

/* In the new process: sets up what the program inherits. If standard input is a file, the
 * program reads it from its beginning; otherwise it reads what the recording read. */
static void prepare_child(const struct pf_try_all *r)
{
    struct stat st;
    char path[40];
    setpgid(0, 0);
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
    bool file = !fstat(0, &st) && S_ISREG(st.st_mode);
    snprintf(path, sizeof path, "/proc/self/fd/%d", file ? 0 : r->input);
    int null = open("/dev/null", O_RDWR),
        /* opened again for an offset of its own */
        in = file || r->input >= 0 ? open(path, O_RDONLY) : null;
    dup2(in >= 0 ? in : null, 0);
    dup2(null, 1);
    dup2(null, 2);
}

/* --- together --- */

static size_t count_started(const struct pf_try_all *r, const char *folder)
{
    char piece[PATH_MAX];
    size_t n = 0;
    for (size_t i = 0; i < r->n && i < PF_CONTINUATIONS; i++) {
        snprintf(piece, sizeof piece, "%s/%zu", folder, i);
        n += access(piece, F_OK) == 0;
    }
    return n;
}

/* Waits for the process that tries them; `before` have been tried already. */
static void wait_shared(struct pf_try_all *r, pid_t pid, const char *folder, size_t before)
{
    uint64_t news = pf_now_ms();
    size_t seen = 0;
    for (unsigned nap = 500; waitpid(pid, NULL, WNOHANG) == 0; nap = nap < 20000 ? 2 * nap : nap) {
        size_t n = count_started(r, folder);
        if (n != seen)
            news = pf_now_ms();
        seen = n;
        progress(r, before + (n ? n - 1 : 0));
        if (pf_try_all_stopped(r))
            kill(pid, SIGTERM); /* pf forwards it to the program, and evaluates what there is */
        if (pf_now_ms() - news > 2 * LIMIT_MS)
            kill(-pid, SIGKILL);
        usleep(nap);
    }
}

static void try_shared_runs(struct pf_try_all *r)
{
    char folder[PATH_MAX];
    snprintf(folder, sizeof folder, "%s/trunk.%d", r->folder, (int)getpid());
    if (mkdir(folder, 0777))
        return;
    for (size_t at = 0; at < r->n && !pf_try_all_stopped(r); at += PF_CONTINUATIONS) {
        struct pf_try_shared_item all[PF_CONTINUATIONS];
        uint32_t n = (uint32_t)(r->n - at < PF_CONTINUATIONS ? r->n - at : PF_CONTINUATIONS);
        for (uint32_t i = 0; i < n; i++)
            all[i] = (struct pf_try_shared_item){r->items[at + i].h, r->items[at + i].clip,
                                                 r->items[at + i].result};
        pid_t pid = fork();
        if (pid == 0) {
            prepare_child(r);
            pf_try_shared(r->t, r->recording, all, n, folder, (unsigned)r->jobs);
            _exit(0);
        }
        if (pid > 0)
            wait_shared(r, pid, folder, at);
    }
    rmdir(folder);
}

/* --- one by one --- */

static void start(const struct pf_try_all *r, struct pf_try_item *it)
{
    it->pid = fork();
    if (it->pid > 0)
        return;
    if (it->pid < 0) {
        snprintf(it->result->why, sizeof it->result->why, "fork: %s", strerror(errno));
        it->pid = 0;
        return;
    }
    prepare_child(r);
    pf_try_one(r->t, r->recording, it->h, it->clip, it->result);
    _exit(0);
}

static void kill_all(const struct pf_try_all *r, const char *why)
{
    for (size_t i = 0; i < r->n; i++)
        if (r->items[i].pid) {
            snprintf(r->items[i].result->why, sizeof r->items[i].result->why, "%s", why);
            kill(-r->items[i].pid, SIGKILL);
        }
}

/* Waits for one of them; kills those that take too long. */
static void wait_one(const struct pf_try_all *r, uint64_t *waited)
{
    pid_t pid = waitpid(-1, NULL, WNOHANG);
    for (size_t i = 0; pid > 0 && i < r->n; i++)
        if (r->items[i].pid == pid) {
            r->items[i].pid = 0;
            *waited = 0;
        }
    if (pid > 0)
        return;
    usleep(2000);
    if ((*waited += 2) < LIMIT_MS && !pf_try_all_stopped(r))
        return;
    *waited = 0;
    kill_all(r, pf_try_all_stopped(r) ? "stopped before it was decided" : "no end within 60 s");
}

static void try_one_by_one(struct pf_try_all *r)
{
    uint64_t waited = 0;
    for (size_t next = 0;;) {
        size_t running = 0;
        for (size_t i = 0; i < next; i++)
            running += r->items[i].pid != 0;
        progress(r, next - running);
        while (next < r->n && (r->items[next].result->tried || pf_try_all_stopped(r))) {
            if (!r->items[next].result->tried)
                snprintf(r->items[next].result->why, sizeof r->items[next].result->why,
                         "stopped before it was tried");
            next++;
        }
        if (next == r->n && !running)
            return;
        if (next < r->n && running < r->jobs)
            start(r, &r->items[next++]);
        else
            wait_one(r, &waited);
    }
}

/* --- harm that does not end the program --- */

/* Finds the first memory error of the recording itself, which is not caused by a finding. */
static void check_recording(const struct pf_try_all *r, struct pf_try_result *out)
{
    struct pf_directed d = {.watch = true, .quiet = true};
    struct pf_child_end child;
    struct pf_clip_end end;
    struct pf_error e;
    pid_t pid = fork();
    if (pid == 0) {
        prepare_child(r);
        if (pf_directed_replay(r->recording, NULL, &d, &child, &end, &e) == PF_OK && end.errors)
            snprintf(out->memory, sizeof out->memory, "%s", end.error);
        _exit(0);
    }
    for (uint64_t began = pf_now_ms(); pid > 0 && waitpid(pid, NULL, WNOHANG) == 0; usleep(2000))
        if (pf_now_ms() - began > LIMIT_MS || pf_interrupted())
            kill(-pid, SIGKILL);
}

static void find_harm(struct pf_try_all *r)
{
    struct pf_try_result *before = &r->results[r->n];
    for (size_t i = 0, checked = 0; i < r->n; i++) {
        struct pf_try_result *it = r->items[i].result;
        if (it->verdict != PF_TRY_REAL || !*it->memory)
            continue;
        if (!checked++)
            check_recording(r, before);
        if (!strcmp(it->memory, before->memory))
            continue;
        it->verdict = PF_TRY_ERROR;
        snprintf(it->why, sizeof it->why, "memory error: %s", it->memory);
    }
}

/* Adds the text of a failed assertion, which the program has printed. */
static void add_assertion(const char *file, struct pf_try_result *out)
{
    static const char word[] = "Assertion `";
    struct pf_clip clip;
    struct pf_error e;
    unsigned char *bytes = NULL;
    size_t n = 0;
    if (pf_clip_open(&clip, file, &e) != PF_OK)
        return;
    if (WIFSIGNALED(clip.end.wait) && WTERMSIG(clip.end.wait) == SIGABRT &&
        pf_clip_stream(&clip, PF_STREAM_OUTPUT, &bytes, &n, &e) == PF_OK && n) {
        unsigned char *at = memmem(bytes, n, word, sizeof word - 1), *end = at;
        while (at && at > bytes && at[-1] >= ' ') /* the line; other bytes before it are not text */
            at--;
        while (end && end < bytes + n && *end >= ' ')
            end++;
        size_t used = strlen(out->why);
        if (at)
            snprintf(out->why + used, sizeof out->why - used, ": %.*s", (int)(end - at), at);
    }
    free(bytes);
    pf_clip_release(&clip);
}

/* --- all --- */

int pf_try_all(struct pf_try_all *r)
{
    r->began = r->began ? r->began : pf_now_ms();
    r->results = mmap(NULL, (r->n + 1) * sizeof *r->results, PROT_READ | PROT_WRITE,
                      MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (r->results == MAP_FAILED)
        return pf_complain(VERB, "out of memory");
    for (size_t i = 0; i < r->n; i++)
        r->items[i].result = &r->results[i];
    r->input = pf_recorded_stdin_open(r->recording);
    if (r->n > 1 && !r->one_by_one)
        try_shared_runs(r);
    try_one_by_one(r);
    for (size_t i = 0; i < r->n && !r->skip_harm; i++)
        if (r->items[i].result->verdict == PF_TRY_ERROR)
            add_assertion(r->items[i].clip, r->items[i].result);
    if (!r->skip_harm)
        find_harm(r);
    if (isatty(STDERR_FILENO))
        fputc('\n', stderr);
    if (r->input >= 0)
        close(r->input);
    return PF_EXIT_OK;
}

void pf_try_all_release(struct pf_try_all *r)
{
    if (r->results && r->results != MAP_FAILED)
        munmap(r->results, (r->n + 1) * sizeof *r->results);
    r->results = NULL;
}
