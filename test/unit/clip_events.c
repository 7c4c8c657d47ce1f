/*
 * clip_events.c - events that the runtime's tracer writes are read back unchanged, event by event;
 * and damaged recordings are reported as such. The target is this program, started again.
 */
// sources: src/clip/*.c src/base/*.c src/report/pool.c src/report/textbuf.c
// sources: src/rt/direct/trace/stream_ring.c src/rt/direct/trace/child_log.c
// sources: src/rt/direct/trace/tracer.c
// sources: src/rt/gate.S
// sources: src/rt/direct/trace/trace_names.c src/rt/hash_index.c src/rt/spin.c src/rt/sys.c
#define _GNU_SOURCE
#include "channel_host.h"
#include "events.h"
#include "findings_log.h"
#include "mappings.h"
#include "module.h"
#include "race_build.h"
#include "stack.h"
#include "stream_ring.h"
#include "tracer.h"
#include <assert.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

/* --- replacements for the rest of the runtime that the tracer uses --- */

struct pf_direct pf_direct;
__thread struct pf_tls __pf_tls;
static uint32_t running;
static uint64_t indices[64];

void pf_missing_call_close_slow(void) {}
__thread uint32_t pf_missing_calls_open;
struct pf_context *pf_context_self(void) { return NULL; }
uint32_t pf_context_number(const struct pf_context *c) { return running; }
uint64_t pf_context_events(const struct pf_context *c) { return indices[running]; }

uint32_t pf_stack_flags(uint32_t id) { return id % 4; }
bool pf_closure_any;
struct pf_address_bounds pf_mapping_hull;
void pf_closure_on_access(uint64_t addr, uint64_t size, bool write, uint64_t value) {}
void pf_closure_on_event(const struct pf_trace_record *e) {}

void pf_stack_walk(uint32_t id, bool (*f)(const struct pf_position *, void *), void *arg)
{
    static char functions[8][8];
    for (unsigned depth = 0; depth <= id % 3; depth++) {
        snprintf(functions[depth], 8, "f%u", depth);
        struct pf_position p = {.func = functions[depth],
                                .file = "dir/a.c",
                                .line = depth ? depth : 100 + id,
                                .column = id % 7,
                                .merged_lines = depth || id % 2 ? NULL : "7, 9",
                                .folded = depth == 2,
                                .kind = PF_SITE_READ};
        if (!f(&p, arg))
            return;
    }
}

uint32_t pf_global_each(uint32_t seen, void (*f)(const struct pf_global *, void *), void *arg)
{
    if (!seen) {
        struct pf_global b = {.addr = 0x5000, .size = 16, .name = "b", .file = "a.c", .line = 2};
        struct pf_global a = {.addr = 0x4000, .size = 8, .name = "a", .file = "a.c", .line = 1};
        f(&b, arg);
        f(&a, arg);
    }
    return 1;
}

void *pf_report_map(size_t size) { return calloc(1, size); }
void pf_report_unmap(void *p, size_t size) { free(p); }
char *pf_file_text(struct pf_pool *pool, const char *path, size_t *size) { return "maps"; }
const char *pf_maps_path(const char *maps, const void *p, size_t *length, uintptr_t range[2])
{
    assert(!strcmp(maps, "maps"));
    const char *path = ((const char *)p)[1] == '1' ? "/lib/one.so" : "/bin/zero";
    *length = strlen(path);
    range[0] = (uintptr_t)p;
    range[1] = (uintptr_t)p + 1;
    return path;
}

void *pf_store_alloc_permanent(size_t n) { return calloc(1, n); }

/* --- events that depend only on their number --- */

static uint64_t state;
static uint64_t dice(uint64_t n)
{
    state = state * 6364136223846793005ull + 1442695040888963407ull;
    return (state >> 33) % n;
}

struct made {
    struct pf_trace_record e;
    bool access, wide, call, range, returns;
    uint32_t thread;
    uint64_t jump; /* events of the thread before this one that have no record */
    unsigned char bytes[PF_TRACE_RECORD_BYTES];
};

static struct {
    uint64_t walk[64], pointer, lock;
    uint32_t thread;
    uint32_t ranges; /* ranges of the last event, a call, that are still to be written */
    struct {
        uint32_t thread, site;
        uint64_t callee;
    } open[4096]; /* calls that have not returned */
    size_t nopen;
    uint8_t memory[512];
} made_state;

/* Vector accesses to one array, some of whose words change. */
static void make_wide(struct made *m)
{
    uint32_t site = 41 + (uint32_t)dice(12);
    m->wide = true;
    m->e.site = site;
    m->e.kind = site & 1 ? PF_EV_READ : PF_EV_WRITE;
    m->e.more = dice(50) ? 16 + 8 * (site % 7) : 9 + dice(56);
    uint64_t at = 4 * dice((sizeof made_state.memory - PF_TRACE_RECORD_BYTES) / 4);
    for (uint64_t i = 0; i < m->e.more; i++)
        if (dice(12) == 0)
            made_state.memory[at + i]++;
    m->e.what = 0x7000 + at;
    m->e.nbytes = (uint32_t)m->e.more;
    memcpy(m->bytes, made_state.memory + at, m->e.nbytes);
    m->e.bytes = m->bytes;
}

/* A lock and its unlock, and atomic counters: records that always have the same shape. */
static void make_fixed_shape(struct made *m)
{
    m->e.site = 54 + (uint32_t)dice(6);
    if (m->e.site < 57) {
        m->e.kind = m->e.site == 54 ? PF_EV_LOCK : PF_EV_UNLOCK;
        m->e.what = m->e.site == 54 ? made_state.lock = 0x9000 + 40 * dice(100) : made_state.lock;
        m->jump = m->e.site == 54 ? 1 : m->jump;
        return;
    }
    m->e.kind = PF_EV_RMW;
    m->e.flags = 8;
    m->e.what = 0xa000 + 8 * m->e.site;
    m->e.more = 8;
    m->e.has_value = m->e.has_old = true;
    m->e.old = made_state.walk[m->e.site]++;
    m->e.value = made_state.walk[m->e.site];
}

static void begin_call(const struct made *m)
{
    size_t n = sizeof made_state.open / sizeof *made_state.open;
    if (made_state.nopen == n) /* the first calls never return */
        memmove(made_state.open, made_state.open + 1, (n - 1) * sizeof *made_state.open);
    made_state.nopen -= made_state.nopen == n;
    made_state.open[made_state.nopen].thread = m->thread;
    made_state.open[made_state.nopen].site = m->e.site;
    made_state.open[made_state.nopen++].callee = m->e.what;
}

/* A call, usually the same as the last one at its site; it may have ranges. */
static void make_call(struct made *m)
{
    m->call = true;
    m->e.site = 60 + (uint32_t)dice(2);
    m->e.kind = PF_EV_CALL;
    m->e.what = 0xc000 + 64 * (m->e.site + (dice(8) == 0));
    m->e.has_value = true;
    m->e.value = 1 + (dice(5) == 0);
    made_state.ranges = dice(3) ? 0 : (uint32_t)dice(5);
    begin_call(m);
}

static void make_range(struct made *m, uint32_t site)
{
    *m = (struct made){.thread = made_state.thread, .range = true};
    m->e.kind = PF_EV_CALL;
    m->e.attached = true;
    m->e.site = site;
    m->e.what = 0xd000 + dice(1u << 20);
    m->e.more = 1 + dice(1u << 10);
    made_state.ranges--;
}

/* The return of the thread's innermost call; false if it has none. */
static bool make_return(struct made *m)
{
    size_t i = made_state.nopen;
    while (i > 0 && made_state.open[i - 1].thread != made_state.thread)
        i--;
    if (!i)
        return false;
    *m = (struct made){.thread = made_state.thread, .returns = true};
    m->e.kind = PF_EV_RET;
    m->e.attached = true;
    m->e.site = made_state.open[i - 1].site;
    m->e.what = made_state.open[i - 1].callee;
    memmove(made_state.open + i - 1, made_state.open + i,
            (made_state.nopen-- - i) * sizeof *made_state.open);
    return true;
}

/* Loops over arrays, lists, counters and random values; locks, atomics, copies; sometimes a thread
 * switch. */
static void make(struct made *m)
{
    static const uint32_t sizes[] = {1, 2, 4, 8};
    uint64_t *walk = made_state.walk, pointer = made_state.pointer;
    if (made_state.ranges) {
        make_range(m, m->e.site);
        return;
    }
    if (dice(50) == 0)
        made_state.thread = (uint32_t)dice(5);
    if (dice(12) == 0 && make_return(m))
        return;
    *m = (struct made){.thread = made_state.thread, .jump = dice(200) == 0 ? dice(1000) : 0};
    if (dice(4) == 0) {
        uint64_t which = dice(5);
        which < 2 ? make_wide(m) : which < 4 ? make_fixed_shape(m) : make_call(m);
        return;
    }
    uint32_t site = 1 + (uint32_t)dice(40), size = sizes[site % 4];
    uint64_t random = dice(1ull << 31) << 33 ^ dice(1ull << 31) << 9 ^ dice(512);
    m->e.site = site;
    m->access = dice(20) != 0;
    if (m->access) {
        m->e.kind = site & 1 ? PF_EV_READ : PF_EV_WRITE;
        /* a site whose accesses do not always have the same size */
        m->e.more = dice(100) ? size : 2;
        m->e.what = site % 3 == 0   ? (walk[site] += 8)
                    : site % 3 == 1 ? pointer + site
                                    : random >> dice(60);
        m->e.has_value = true;
        uint64_t value = dice(3) == 0 ? random : dice(2) ? walk[site] : 7;
        m->e.value = value & ~0ull >> (64 - 8 * m->e.more);
        if (m->e.more == 8)
            made_state.pointer = m->e.value;
        return;
    }
    m->e.kind = (uint8_t)dice(PF_EV_KINDS);
    m->e.flags = (uint8_t)dice(64);
    m->e.what = dice(2) ? random : 0;
    m->e.more = dice(2) ? dice(100) : 0;
    m->e.has_value = dice(2);
    m->e.value = m->e.has_value ? random : 0;
    m->e.has_old = dice(2);
    m->e.old = m->e.has_old ? ~random : 0;
    m->e.attached = m->jump == 0 && dice(3) == 0;
    m->e.nbytes = dice(2) ? (uint32_t)dice(PF_TRACE_RECORD_BYTES + 1) : 0;
    for (uint32_t i = 0; i < m->e.nbytes; i++)
        m->bytes[i] = (unsigned char)(random + i);
    m->e.bytes = m->bytes;
    if (m->e.kind == PF_EV_CALL && !m->e.attached)
        begin_call(m);
}
#define EVENTS 60000u
#define FEW 3000u

/* Ends after `last` events; killed if that is before the end. */
static int trace_target(unsigned last)
{
    static struct pf_thread threads[8];
    pf_channel_attach();
    if (!pf_direct.tracing)
        return 1;
    struct made m;
    for (unsigned k = 0; k < EVENTS; k++) {
        make(&m);
        running = m.thread;
        __pf_tls.thread = &threads[running];
        indices[running] += m.jump + !m.e.attached;
        if (m.access)
            pf_trace_access(m.e.site, m.e.what, (uint32_t)m.e.more, m.e.kind == PF_EV_WRITE,
                            m.e.value, indices[running]);
        else if (m.returns)
            pf_trace_return();
        else if (m.call)
            pf_trace_call(m.e.site, m.e.what, m.e.value);
        else if (m.range)
            pf_trace_range(m.e.what, m.e.more);
        else if (m.wide)
            pf_trace_wide(m.e.site, m.e.what, m.e.more, m.e.kind == PF_EV_WRITE, m.bytes,
                          m.e.nbytes, indices[running]);
        else
            pf_trace_event(&m.e);
        if (k == last)
            kill(getpid(), SIGKILL);
    }
    return pf_direct.tracing ? 42 : 2;
}

/* --- the test --- */

static char file[128];
static char *self;

static int record(const char *how)
{
    uint8_t use[PF_STREAMS] = {0};
    static char *none[] = {NULL};
    struct pf_clip_meta m = {
        .program = "/p", .cwd = "/", .argv = none, .env = none, .traced = PF_CODE_VERSION};
    struct pf_error e;
    struct pf_channel_host *h;
    struct pf_clip_writer *w;
    static char *argv[] = {"p", NULL};
    m.argv = argv;
    for (int s = PF_STREAM_EVENT; s < PF_STREAMS; s++)
        use[s] = PF_RING_WRITE;
    assert_int_equal(pf_clip_create(&w, file, &m, &e), PF_OK);
    assert_int_equal(pf_channel_host_new(&h, use, NULL, &e), PF_OK);
    pf_channel_host_channel(h)->mode = PF_DIRECT_RECORD;
    pf_channel_host_channel(h)->tracing = 1;
    assert_int_equal(pf_channel_host_start(h, w, &e), PF_OK);
    pid_t pid = fork();
    if (pid == 0) {
        setenv(PF_CHANNEL_ENV, "987", 1);
        execl(self, self, how, (char *)NULL);
        _exit(127);
    }
    int wait;
    assert_int_equal(waitpid(pid, &wait, 0), pid);
    assert_int_equal(pf_channel_host_close(h, &e), PF_OK);
    struct pf_clip_end end = {.wait = wait};
    assert_int_equal(pf_clip_finish(w, &end, &e), PF_OK);
    pf_clip_writer_free(w);
    pf_channel_host_free(h);
    return wait;
}

static void compare(unsigned wanted)
{
    struct pf_error e;
    struct pf_clip c;
    struct pf_events *r;
    struct pf_record got;
    pf_status s;
    assert_int_equal(pf_clip_open(&c, file, &e), PF_OK);
    assert_int_equal(pf_events_open(&r, &c, &e), PF_OK);
    state = 0;
    memset(&made_state, 0, sizeof made_state);
    memset(indices, 0, sizeof indices);
    unsigned n = 0;
    struct pf_record some[7];
    struct made m;
    size_t nsome = 0, at = 0;
    for (;; n++, at++) {
        if (at == nsome) { /* read one at a time, and several at once */
            at = 0;
            nsome = n % 3 ? pf_events_read(r, some, 7, &s, &e)
                          : (size_t)pf_events_next(r, &some[0], &s, &e);
            if (!nsome)
                break;
        }
        got = some[at];
        make(&m);
        indices[m.thread] += m.jump + !m.e.attached;
        assert_int_equal(got.thread, m.thread);
        assert_int_equal(got.index, indices[m.thread]);
        assert_int_equal(got.kind, m.e.kind);
        assert_int_equal(got.site, m.e.site);
        assert_int_equal(got.what, m.e.what);
        assert_int_equal(got.more, m.e.more);
        assert_int_equal(got.flags, m.e.flags);
        assert_int_equal(got.attached, m.e.attached);
        assert_int_equal(got.has_value, m.e.has_value);
        assert_int_equal(got.value, m.e.value);
        assert_int_equal(got.has_old, m.e.has_old);
        assert_int_equal(got.old, m.e.old);
        assert_int_equal(got.nbytes, m.e.nbytes);
        if (m.e.nbytes)
            assert_memory_equal(got.bytes, m.bytes, m.e.nbytes);
        const struct pf_name_site *site = &pf_events_names(r)->site[got.site];
        assert_true(site->known && site->npositions == got.site % 3 + 1);
        assert_int_equal(site->flags, got.site % 4);
        const struct pf_name_position *top = &pf_events_names(r)->position[site->position[0]];
        assert_int_equal(top->line, 100 + got.site);
        assert_string_equal(top->merged_lines, got.site % 2 ? "" : "7, 9");
        assert_string_equal(top->object, "/bin/zero");
        assert_false(top->folded);
        if (site->npositions > 2) {
            assert_string_equal(pf_events_names(r)->position[site->position[1]].object,
                                "/lib/one.so");
            assert_true(pf_events_names(r)->position[site->position[2]].folded);
        }
    }
    assert_int_equal(s, PF_OK);
    assert_false(pf_events_cut(r));
    assert_int_equal(n, wanted);
    assert_string_equal(pf_names_variable(pf_events_names(r), 0x500f)->name, "b");
    assert_string_equal(pf_names_variable(pf_events_names(r), 0x4000)->name, "a");
    assert_null(pf_names_variable(pf_events_names(r), 0x4008));
    assert_null(pf_names_variable(pf_events_names(r), 0x3fff));
    pf_events_free(r);
    c.meta.traced = 1; /* as written by an older pf */
    assert_int_equal(pf_events_open(&r, &c, &e), PF_BAD);
    assert_non_null(strstr(e.text, "trace format version 1"));
    pf_clip_release(&c);
}

static void test_round(void **unused)
{
    assert_int_equal(record("trace"), 42 << 8);
    compare(EVENTS);
}

static void test_killed(void **unused)
{
    assert_int_equal(record("killed"), SIGKILL);
    compare(EVENTS / 2 + 1);
}

/* The tables of a short recording are used again for the next one. */
static void test_short(void **unused)
{
    assert_int_equal(record("few"), SIGKILL);
    for (int i = 0; i < 3; i++)
        compare(FEW + 1);
}

/* Writes the same recording in many small chunks, all names first. */
static void write_pieces(const char *path, const struct pf_clip *c)
{
    enum { PIECES = 40 };
    static const unsigned streams[] = {PF_STREAM_EVENT, PF_STREAM_ADDRESS, PF_STREAM_VALUE};
    struct pf_error e;
    struct pf_clip_writer *w;
    unsigned char *bytes[PF_STREAMS] = {NULL};
    for (int s = PF_STREAM_EVENT; s < PF_STREAMS; s++) {
        bytes[s] = malloc(c->stream[s].length + 1);
        for (size_t k = 0; k < c->stream[s].chunks.len; k++)
            assert_int_equal(
                pf_clip_unpack(c, (unsigned)s, k, bytes[s] + c->stream[s].chunks.at[k].at, &e),
                PF_OK);
    }
    assert_int_equal(pf_clip_create(&w, path, &c->meta, &e), PF_OK);
    assert_int_equal(pf_clip_append(w, PF_STREAM_NAME, bytes[PF_STREAM_NAME],
                                    c->stream[PF_STREAM_NAME].length, &e),
                     PF_OK);
    for (size_t k = 0; k < PIECES; k++)
        for (int i = 0; i < 3; i++) {
            size_t n = c->stream[streams[i]].length, from = n * k / PIECES;
            assert_int_equal(pf_clip_append(w, streams[i], bytes[streams[i]] + from,
                                            n * (k + 1) / PIECES - from, &e),
                             PF_OK);
        }
    assert_int_equal(pf_clip_finish(w, &c->end, &e), PF_OK);
    pf_clip_writer_free(w);
    for (int s = 0; s < PF_STREAMS; s++)
        free(bytes[s]);
}

/* If the recording is cut between any two chunks, the events before are complete, and the rest is
 * reported as missing. */
static void test_cut(void **unused)
{
    static unsigned char bytes[1 << 24];
    struct pf_error e;
    struct pf_record got;
    struct pf_clip c;
    pf_status s;
    assert_int_equal(record("trace"), 42 << 8);
    assert_int_equal(pf_clip_open(&c, file, &e), PF_OK);
    unlink(file);
    write_pieces(file, &c);
    pf_clip_release(&c);
    FILE *f = fopen(file, "r");
    size_t n = fread(bytes, 1, sizeof bytes, f), before = 0, steps = 0, cuts = 0;
    fclose(f);
    for (size_t at = sizeof(struct pf_clip_header); at < n;) {
        struct pf_chunk k;
        struct pf_events *r;
        memcpy(&k, bytes + at, sizeof k);
        at += sizeof k + k.stored;
        assert_int_equal(pf_clip_open_bytes(&c, "x", bytes, at, &e), PF_OK);
        assert_int_equal(c.ended, at == n);
        assert_int_equal(pf_events_open(&r, &c, &e), PF_OK);
        size_t events = 0;
        while (pf_events_next(r, &got, &s, &e))
            events++;
        assert_int_equal(s, PF_OK);
        assert_true(events >= before);
        steps += events > before;
        cuts += pf_events_cut(r);
        before = events;
        pf_events_free(r);
        pf_clip_release(&c);
    }
    assert_int_equal(before, EVENTS);
    assert_true(steps >= 40 && cuts >= 40);
}

int main(int argc, char **argv)
{
    self = argv[0];
    if (argc > 1)
        return trace_target(!strcmp(argv[1], "few")      ? FEW
                            : !strcmp(argv[1], "killed") ? EVENTS / 2
                                                         : EVENTS);
    snprintf(file, sizeof file, "/tmp/pf-events-test.%d", (int)getpid());
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_round),
        cmocka_unit_test(test_killed),
        cmocka_unit_test(test_short),
        cmocka_unit_test(test_cut),
    };
    int status = cmocka_run_group_tests(tests, NULL, NULL);
    unlink(file);
    return status;
}
