// sources: src/rt/sample/function_pairs.c src/rt/sample/running_functions.c
// sources: src/rt/sample/pair_history.c src/rt/sample/watch_window.c
// sources: src/rt/sample/pair_coverage.c
// sources: src/report/textbuf.c src/report/pool.c
// sanitizers: thread
/*
 * sample_thread_ends.c - AtexRace while threads begin, call and end, fibers switch, and the process
 * is finished again and again (as by an exec that fails): every call of a pair is counted exactly
 * once, and no state is used after it was freed. Runs under ThreadSanitizer too.
 */
#include "options.h"
#include "sample_atexrace.c"
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
// cmocka needs these before it
#include <cmocka.h>

#define THREADS 4
#define ROUNDS 40 /* threads that end, one after the other, in each of the THREADS */
#define CALLS 300
#define FUNCS 40 /* enough pairs to make the table of a thread grow */

/* The parts of the runtime that the policy uses. The runtime's own mappings are at addresses that
 * ThreadSanitizer does not know. */
__asm__(".globl pf_gate\npf_gate: syscall\njmp *%r12\n");
__thread struct pf_tls __pf_tls;
struct pf_rt pf_rt;
uint64_t pf_limit_count[PF_LIMITS];
void *pf_sys_map(void *at, size_t size)
{
    void *p =
        mmap(at, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? NULL : p;
}
void pf_spin_wait(struct pf_spin *s)
{
    while (__atomic_exchange_n(&s->taken, 1, __ATOMIC_ACQUIRE))
        sched_yield();
}

static uint64_t saved_calls;
static void sum_calls(const struct pf_function_pair *p, void *to)
{
    *(uint64_t *)to += p->count - p->earlier;
}
uint32_t pf_sample_state_load(struct pf_function_pairs *out, uint32_t n,
                              struct pf_pair_coverage *coverage, uint64_t *executions)
{
    *executions = 0;
    return 0;
}
void pf_sample_state_use(const char *subfolder) {}
struct pf_options pf_options;
void pf_sample_state_save(struct pf_function_pairs *all, const struct pf_pair_coverage *coverage,
                          bool exec)
{
    saved_calls = 0;
    pf_function_pairs_each(all, sum_calls, &saved_calls);
}
void pf_sample_state_retract(void) {}
/* Which sites a call reaches is for compiled code only. */
void pf_cover_start(struct pf_pair_coverage *c, const uint64_t *of) {}
struct pf_cover *pf_cover_new(void) { return NULL; }
void pf_cover_free(struct pf_cover *c) {}
void pf_cover_begin(struct pf_thread *t, const uint64_t *others, unsigned n) {}
void pf_cover_stop(struct pf_thread *t) {}

static struct {
    struct pf_func f;
    char name[8];
} funcs[FUNCS];
static uint64_t counted; /* calls that ended threads have counted */
static uint32_t threads_begun;

static struct pf_thread *begin_thread(void)
{
    struct pf_thread *t = calloc(1, sizeof *t);
    t->number = __atomic_add_fetch(&threads_begun, 1, __ATOMIC_RELAXED);
    t->context.frames_size = 4096;
    t->context.frames = pf_sys_map(NULL, t->context.frames_size);
    t->tls = &__pf_tls;
    __pf_tls = (struct pf_tls){.frame = t->context.frames + 1, .thread = t};
    __pf_tls.dispatch = PF_DISPATCH_COUNT;
    __pf_tls.counts = pf_sys_map(NULL, PF_FUNCS_MAX * sizeof *__pf_tls.counts);
    pf_sampling_atexrace.begin(t);
    assert_non_null(t->sample.policy_state);
    return t;
}

static void make_calls(struct pf_thread *t, unsigned seed)
{
    for (unsigned i = 0; i < CALLS; i++) {
        seed = seed * 1664525 + 1013904223;
        struct pf_func *f = &funcs[(seed >> 16) % FUNCS].f;
        __atomic_store_n(&__pf_tls.frame->func, f, __ATOMIC_RELAXED);
        if (--__pf_tls.counts[f->number] < 0)
            pf_sampling_atexrace.call(t, f);
    }
}

static void end_thread(struct pf_thread *t)
{
    uint64_t own = 0;
    pf_function_pairs_each(&((struct thread_state *)t->sample.policy_state)->pairs, sum_calls,
                           &own);
    __atomic_fetch_add(&counted, own, __ATOMIC_RELAXED);
    pf_sampling_atexrace.end(t);
    pf_sys(SYS_munmap, __pf_tls.counts, PF_FUNCS_MAX * sizeof *__pf_tls.counts);
    munmap(t->context.frames, t->context.frames_size); /* faults if a thread still reads it */
    free(t);
}

/* A fiber that runs on two kernel threads: begun in the first, which ends; then in the caller. */
struct pf_fiber_words {
    struct pf_thread *t;
    struct pf_tls tls;
};
static void *first_half(void *arg)
{
    struct pf_fiber_words *f = arg;
    f->t = begin_thread();
    make_calls(f->t, f->t->number);
    pf_sampling_atexrace.suspend(f->t, __pf_tls.frame);
    f->tls = __pf_tls;
    __pf_tls = (struct pf_tls){0};
    return NULL;
}
static void second_half(struct pf_fiber_words *f)
{
    __pf_tls = f->tls;
    f->t->tls = &__pf_tls;
    pf_sampling_atexrace.resume(f->t);
    make_calls(f->t, f->t->number);
    end_thread(f->t);
}

static void *work(void *arg)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        struct pf_fiber_words fiber;
        pthread_t p;
        struct pf_thread *t = begin_thread();
        make_calls(t, t->number);
        end_thread(t);
        if (i % 8)
            continue;
        assert_int_equal(pthread_create(&p, NULL, first_half, &fiber), 0);
        pthread_join(p, NULL);
        second_half(&fiber);
    }
    __atomic_fetch_add((uint32_t *)arg, 1, __ATOMIC_RELEASE);
    return NULL;
}

static void test_ends(void **state)
{
    (void)state;
    pthread_t p[THREADS];
    uint32_t done = 0;
    struct pf_sample_numbers numbers;
    assert_true(pf_sampling_atexrace.configure(""));
    pf_sampling_atexrace.start();
    for (unsigned i = 0; i < FUNCS; i++) {
        funcs[i].f.number = i + 1;
        funcs[i].f.hash = i + 1;
        memcpy(funcs[i].name, "f", 2);
        funcs[i].f.name = (pf_rel)(funcs[i].name - (char *)&funcs[i].f.name);
    }
    for (unsigned i = 0; i < THREADS; i++)
        assert_int_equal(pthread_create(&p[i], NULL, work, &done), 0);
    for (uint64_t before = 0; __atomic_load_n(&done, __ATOMIC_ACQUIRE) < THREADS;) {
        pf_sampling_atexrace.finish(&numbers, true);
        assert_true(saved_calls >= before); /* no call is lost or counted twice */
        before = saved_calls;
        pf_sampling_atexrace.exec_failed();
        pf_sampling_atexrace.lock(); /* a fork */
        pf_sampling_atexrace.unlock();
    }
    for (unsigned i = 0; i < THREADS; i++)
        pthread_join(p[i], NULL);
    for (int i = 0; i < 2; i++) {
        pf_sampling_atexrace.finish(&numbers, false);
        assert_int_equal(saved_calls, counted);
    }
    assert_true(counted > 0 && numbers.pairs > 0);
    assert_int_equal(pf_limit_count[PF_LIMIT_MEMORY], 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_ends)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
