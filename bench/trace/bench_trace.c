/*
 * bench_trace.c - the path of events alone: the runtime's tracer, the shared rings, pf's recorder,
 * the file, and the reader. The kernels are written with an event for every access, without
 * scheduler and compiler plugin.
 *
 *     bench_trace KERNEL EVENTS     -> one line: KERNEL EVENTS, ns of the target and of pf per
 *                                      event, bytes of file per event, ns to read one
 *
 * The kernel is run twice, once with events and once without; the difference is the cost of the
 * tracer.
 */
#define _GNU_SOURCE
#include "channel_host.h"
#include "events.h"
#include "mappings.h"
#include "module.h"
#include "stack.h"
#include "stream_ring.h"
#include "tracer.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* --- stubs for the parts of the runtime that the tracer uses --- */

struct pf_direct pf_direct;
__thread struct pf_tls __pf_tls;
static uint64_t counted;
struct pf_context *pf_context_self(void) { return NULL; }
uint32_t pf_context_number(const struct pf_context *c) { return 0; }
uint64_t pf_context_events(const struct pf_context *c) { return counted; }
void pf_stack_walk(uint32_t id, bool (*f)(const struct pf_position *, void *), void *arg) {}
uint32_t pf_global_each(uint32_t seen, void (*f)(const struct pf_global *, void *), void *arg)
{
    return seen;
}
void *pf_store_alloc_permanent(size_t n) { return calloc(1, n); }
uint32_t pf_stack_flags(uint32_t id) { return 0; }
void pf_missing_call_close_slow(void) {}
__thread uint32_t pf_missing_calls_open;
bool pf_closure_any;
struct pf_address_bounds pf_mapping_hull;
void pf_closure_on_access(uint64_t addr, uint64_t size, bool write, uint64_t value) {}
void pf_closure_on_event(const struct pf_trace_record *e) {}

/* --- kernels --- */

static bool tracing;
static uint64_t limit;

static inline void event(uint32_t site, const void *p, uint32_t size, bool write, uint64_t value)
{
    counted++;
    if (tracing)
        pf_trace_access(site, (uintptr_t)p, size, write, value, counted);
}
#define GET(x)                                                                                     \
    ({                                                                                             \
        __auto_type v_ = (x);                                                                      \
        uint64_t b_ = 0;                                                                           \
        __builtin_memcpy(&b_, &v_, sizeof v_);                                                     \
        event(__COUNTER__ + 1, &(x), sizeof v_, false, b_);                                        \
        v_;                                                                                        \
    })
#define PUT(x, y)                                                                                  \
    ({                                                                                             \
        __auto_type v_ = (y);                                                                      \
        uint64_t b_ = 0;                                                                           \
        __builtin_memcpy(&b_, &v_, sizeof v_);                                                     \
        event(__COUNTER__ + 1, &(x), sizeof v_, true, b_);                                         \
        (x) = v_;                                                                                  \
    })

static uint64_t dice(void)
{
    static uint64_t s = 1;
    s = s * 6364136223846793005ull + 1442695040888963407ull;
    return s >> 33;
}

static void stencil(void)
{
    enum { N = 1 << 14 };
    static double a[N], b[N];
    for (int i = 0; i < N; i++)
        a[i] = (double)(dice() % 1000);
    while (counted < limit) {
        for (int i = 1; i + 1 < N; i++)
            PUT(b[i], (GET(a[i - 1]) + GET(a[i]) + GET(a[i + 1])) / 3);
        for (int i = 1; i + 1 < N; i++)
            PUT(a[i], GET(b[i]));
    }
}

static void hashtable(void)
{
    struct node {
        struct node *next;
        uint64_t key;
        uint32_t hits;
    };
    enum { BUCKETS = 1 << 12, KEYS = 10000 };
    static struct node *bucket[BUCKETS];
    while (counted < limit) {
        uint64_t key = dice() % KEYS, h = key * 0x9e3779b97f4a7c15ull >> 52;
        struct node *n = GET(bucket[h]);
        while (n && GET(n->key) != key)
            n = GET(n->next);
        if (!n) {
            n = calloc(1, sizeof *n);
            PUT(n->key, key);
            PUT(n->next, GET(bucket[h]));
            PUT(bucket[h], n);
        }
        PUT(n->hits, GET(n->hits) + 1u);
    }
}

static void sort_range(uint32_t *a, long lo, long hi)
{
    while (lo < hi && counted < limit) {
        uint32_t pivot = GET(a[(lo + hi) / 2]);
        long i = lo, j = hi;
        while (i <= j) {
            while (GET(a[i]) < pivot)
                i++;
            while (GET(a[j]) > pivot)
                j--;
            if (i <= j) {
                uint32_t x = GET(a[i]), y = GET(a[j]);
                PUT(a[i], y);
                PUT(a[j], x);
                i++;
                j--;
            }
        }
        sort_range(a, lo, j);
        lo = i;
    }
}

static void sort(void)
{
    enum { N = 200000 };
    static uint32_t a[N + 1];
    while (counted < limit) {
        for (int i = 0; i < N; i++)
            a[i] = (uint32_t)dice();
        sort_range(a, 0, N - 1);
    }
}

static void bytes(void)
{
    enum { N = 1 << 16 };
    static uint8_t text[N], out[N];
    static uint16_t seen[1 << 12];
    for (int i = 0; i < N; i++)
        text[i] = (uint8_t)("the quick brown fox jumps over the lazy dog"[dice() % 43]);
    while (counted < limit)
        for (int i = 2; i < N; i++) {
            uint8_t c = GET(text[i]);
            unsigned h = (c * 31u + GET(text[i - 1]) * 7u) & 4095;
            PUT(out[i], (uint8_t)(c ^ GET(seen[h])));
            PUT(seen[h], (uint16_t)i);
        }
}

static const struct {
    const char *name;
    void (*run)(void);
} kernels[] = {{"stencil", stencil}, {"hashtable", hashtable}, {"sort", sort}, {"bytes", bytes}};

/* --- measuring --- */

static double seconds(clockid_t clock)
{
    struct timespec t;
    clock_gettime(clock, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

/* Nanoseconds of CPU per event, measured in a separate process. */
static double run(void (*kernel)(void), bool traced, const char *self)
{
    int pipes[2];
    double took = -1;
    if (pipe(pipes))
        return took;
    pid_t pid = fork();
    if (pid == 0) {
        char fd[16];
        snprintf(fd, sizeof fd, "%d", pipes[1]);
        char events[32], number[16];
        snprintf(events, sizeof events, "%llu", (unsigned long long)limit);
        for (size_t i = 0; i < sizeof kernels / sizeof *kernels; i++)
            if (kernels[i].run == kernel)
                snprintf(number, sizeof number, "%zu", i);
        if (traced)
            setenv(PF_CHANNEL_ENV, "987", 1);
        execl(self, self, "target", number, events, fd, (char *)NULL);
        _exit(127);
    }
    close(pipes[1]);
    if (read(pipes[0], &took, sizeof took) != sizeof took)
        took = -1;
    close(pipes[0]);
    waitpid(pid, NULL, 0);
    return took;
}

static int target(char **argv)
{
    static struct pf_thread me;
    __pf_tls.thread = &me;
    if (getenv(PF_CHANNEL_ENV))
        pf_channel_attach();
    tracing = pf_direct.tracing;
    limit = strtoull(argv[3], NULL, 10);
    double before = seconds(CLOCK_PROCESS_CPUTIME_ID);
    kernels[atoi(argv[2])].run();
    double took = (seconds(CLOCK_PROCESS_CPUTIME_ID) - before) / (double)counted * 1e9;
    return write(atoi(argv[4]), &took, sizeof took) == sizeof took ? 0 : 1;
}

static int fail(const struct pf_error *e)
{
    fprintf(stderr, "bench_trace: %s\n", e->text);
    return 1;
}

int main(int argc, char **argv)
{
    if (argc == 5 && !strcmp(argv[1], "target"))
        return target(argv);
    size_t k = 0;
    while (argc == 3 && k < sizeof kernels / sizeof *kernels && strcmp(kernels[k].name, argv[1]))
        k++;
    if (argc != 3 || k == sizeof kernels / sizeof *kernels) {
        fprintf(stderr, "usage: bench_trace stencil|hashtable|sort|bytes EVENTS\n");
        return 2;
    }
    limit = strtoull(argv[2], NULL, 10);
    char file[] = "/tmp/bench-trace.XXXXXX";
    close(mkstemp(file));
    struct pf_error e;
    struct pf_channel_host *h;
    struct pf_clip_writer *w;
    static char *argv1[] = {"p", NULL};
    struct pf_clip_meta m = {
        .program = "/p", .cwd = "/", .argv = argv1, .env = argv1, .traced = PF_CODE_VERSION};
    uint8_t use[PF_STREAMS] = {0};
    for (int s = PF_STREAM_EVENT; s < PF_STREAMS; s++)
        use[s] = PF_RING_WRITE;
    double bare = run(kernels[k].run, false, "/proc/self/exe");
    if (pf_clip_create(&w, file, &m, &e) != PF_OK ||
        pf_channel_host_new(&h, use, NULL, &e) != PF_OK)
        return fail(&e);
    pf_channel_host_channel(h)->mode = PF_DIRECT_RECORD;
    pf_channel_host_channel(h)->tracing = 1;
    double before = seconds(CLOCK_PROCESS_CPUTIME_ID), start = seconds(CLOCK_MONOTONIC);
    if (pf_channel_host_start(h, w, &e) != PF_OK)
        return fail(&e);
    double traced = run(kernels[k].run, true, "/proc/self/exe");
    if (pf_channel_host_close(h, &e) != PF_OK)
        return fail(&e);
    struct pf_clip_end end = {0};
    if (pf_clip_finish(w, &end, &e) != PF_OK)
        return fail(&e);
    double recorder = seconds(CLOCK_PROCESS_CPUTIME_ID) - before;
    double wall = seconds(CLOCK_MONOTONIC) - start;
    pf_clip_writer_free(w);
    pf_channel_host_free(h);
    struct pf_clip c;
    struct pf_events *r;
    static struct pf_record got[256];
    pf_status s;
    struct stat st;
    uint64_t n = 0;
    stat(file, &st);
    before = seconds(CLOCK_PROCESS_CPUTIME_ID);
    if (pf_clip_open(&c, file, &e) != PF_OK || pf_events_open(&r, &c, &e) != PF_OK)
        return fail(&e);
    for (size_t some; (some = pf_events_read(r, got, 256, &s, &e));)
        n += some;
    double reading = seconds(CLOCK_PROCESS_CPUTIME_ID) - before;
    if (s != PF_OK)
        return fail(&e);
    pf_events_free(r);
    pf_clip_release(&c);
    unlink(file);
    if (n < limit) {
        fprintf(stderr, "bench_trace: %llu events read of %llu\n", (unsigned long long)n,
                (unsigned long long)limit);
        return 1;
    }
    double per = 1e9 / (double)n;
    printf("%-10s %llu events: tracer %.1f ns, recorder %.1f ns, wall %.1f ns; %.2f bytes; read "
           "%.1f ns\n",
           argv[1], (unsigned long long)n, traced - bare, recorder * per, wall * per,
           (double)st.st_size / (double)n, reading * per);
    return 0;
}
