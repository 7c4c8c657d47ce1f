/*
 * running_functions.c - see running_functions.h.
 *
 * A struct pf_func found on another thread's stack is never dereferenced: it may be in an object
 * that was unloaded since. Its address is looked up in a table, which the threads that run the
 * function fill.
 */
#include "running_functions.h"
#include "function_pairs.h"
#include "module.h"
#include "sys.h"
#include "watch_window.h"

#define HASHES_MAX (PF_FUNCS_MAX * 2)
#define SHOWN_FUNCTIONS 3   /* functions read per thread */
#define NATIVE_FRAMES_MAX 4 /* interposed functions that may be on top of the stack */

static struct running_thread {
    /* NULL: the entry is free, or its thread has ended or is a fiber that is switched out */
    struct pf_tls *tls;
    struct pf_frame *stack; /* the bottom of its shadow stack: a frame without a function */
    /* what a thread that has ended ran last, until it is joined; what a fiber that is switched out
     * ran last */
    uint64_t last_functions[SHOWN_FUNCTIONS];
    uint32_t reading, taken;
    uint32_t thread; /* the thread's number */
    char pad[12];
} threads[PF_RUNNING_THREADS_MAX];
static uint32_t nthreads;
/* threads that were created and have not begun; they run "no function" */
static int expected;

static struct hash_entry {
    struct pf_func *func;
    uint64_t hash;
} *hashes;

static void clear_last_functions(struct running_thread *s)
{
    for (int k = 0; k < SHOWN_FUNCTIONS; k++)
        __atomic_store_n(&s->last_functions[k], 0, __ATOMIC_RELAXED);
}

uint32_t pf_running_register(struct pf_thread *t)
{
    if (!__atomic_load_n(&hashes, __ATOMIC_ACQUIRE)) {
        struct hash_entry *n = pf_sys_map(NULL, HASHES_MAX * sizeof *n), *none = NULL;
        if (!n)
            return UINT32_MAX;
        if (!__atomic_compare_exchange_n(&hashes, &none, n, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            pf_sys(SYS_munmap, n, HASHES_MAX * sizeof *n);
    }
    for (uint32_t i = 0; i < PF_RUNNING_THREADS_MAX; i++) {
        uint32_t free = 0;
        if (!__atomic_compare_exchange_n(&threads[i].taken, &free, 1, 0, __ATOMIC_ACQ_REL,
                                         __ATOMIC_RELAXED))
            continue;
        __atomic_store_n(&threads[i].thread, t->number, __ATOMIC_RELAXED);
        clear_last_functions(&threads[i]);
        __atomic_store_n(&threads[i].stack, t->context.frames, __ATOMIC_RELAXED);
        __atomic_store_n(&threads[i].tls, t->tls, __ATOMIC_RELEASE);
        uint32_t n = __atomic_load_n(&nthreads, __ATOMIC_RELAXED);
        while (n <= i && !__atomic_compare_exchange_n(&nthreads, &n, i + 1, 0, __ATOMIC_ACQ_REL,
                                                      __ATOMIC_RELAXED))
            ;
        return i;
    }
    return UINT32_MAX;
}

void pf_running_expect(int by) { __atomic_fetch_add(&expected, by, __ATOMIC_RELAXED); }

void pf_running_after_fork(uint32_t index)
{
    expected = 0;
    for (uint32_t i = 0; i < nthreads; i++)
        if (i != index)
            threads[i] = (struct running_thread){0};
}

static struct hash_entry *find(struct pf_func *f)
{
    uint32_t i = (uint32_t)((uintptr_t)f >> 3) * 0x9e3779b1u & (HASHES_MAX - 1);
    for (;; i = (i + 1) & (HASHES_MAX - 1)) {
        struct pf_func *there = __atomic_load_n(&hashes[i].func, __ATOMIC_ACQUIRE);
        if (there == f || !there)
            return &hashes[i];
    }
}

uint64_t pf_running_hash(struct pf_func *f)
{
    uint64_t hash = pf_function_hash(pf_rel_str(&f->name), pf_rel_str(&f->file), f->hash);
    hash = (hash & ~PF_RUNNING_HAS_LOOPS) | (f->flags & PF_FUNCF_LOOPS ? PF_RUNNING_HAS_LOOPS : 0);
    for (;;) {
        struct hash_entry *n = find(f);
        struct pf_func *none = NULL;
        if (__atomic_load_n(&n->func, __ATOMIC_ACQUIRE) == f ||
            __atomic_compare_exchange_n(&n->func, &none, f, 0, __ATOMIC_ACQ_REL,
                                        __ATOMIC_RELAXED)) {
            __atomic_store_n(&n->hash, hash, __ATOMIC_RELEASE);
            return hash;
        }
    }
}

static uint64_t hash_of(struct pf_func *f)
{
    struct hash_entry *of = f ? find(f) : NULL;
    return of && __atomic_load_n(&of->func, __ATOMIC_ACQUIRE)
               ? __atomic_load_n(&of->hash, __ATOMIC_ACQUIRE)
               : 0;
}

/* The functions of a thread with this stack: out[0] the one in the frame above the top, out[1] the
 * one on top, out[2] the one that it began with; 0: none. */
static void functions_of(struct pf_frame *stack, struct pf_frame *top,
                         uint64_t out[SHOWN_FUNCTIONS])
{
    out[0] = hash_of(__atomic_load_n(&top[0].func, __ATOMIC_RELAXED));
    out[1] = 0;
    for (int k = 1; k <= NATIVE_FRAMES_MAX && !out[1]; k++) {
        struct pf_func *f = __atomic_load_n(&top[-k].func, __ATOMIC_RELAXED);
        if (!f)
            break; /* the bottom of the stack */
        out[1] = hash_of(f);
    }
    if (out[1] == out[0])
        out[1] = 0;
    out[2] = top > stack + 1 ? hash_of(__atomic_load_n(&stack[1].func, __ATOMIC_RELAXED)) : 0;
}

void pf_running_suspend(uint32_t index, struct pf_frame *top)
{
    uint64_t last[SHOWN_FUNCTIONS];
    functions_of(threads[index].stack, top, last);
    for (int k = 0; k < SHOWN_FUNCTIONS; k++)
        __atomic_store_n(&threads[index].last_functions[k], last[k], __ATOMIC_RELAXED);
    __atomic_store_n(&threads[index].tls, NULL, __ATOMIC_SEQ_CST);
    for (uint32_t i = 0, end = __atomic_load_n(&nthreads, __ATOMIC_SEQ_CST); i < end; i++)
        while (i != index && __atomic_load_n(&threads[i].reading, __ATOMIC_SEQ_CST))
            pf_sys(SYS_sched_yield);
}

void pf_running_resume(uint32_t index, struct pf_tls *tls)
{
    __atomic_store_n(&threads[index].tls, tls, __ATOMIC_RELEASE);
}

void pf_running_unregister(uint32_t index, struct pf_frame *top)
{
    pf_running_suspend(index, top);
    __atomic_store_n(&threads[index].taken, 0, __ATOMIC_RELEASE);
}

void pf_running_joined(const struct pf_thread *t)
{
    for (uint32_t i = 0, end = __atomic_load_n(&nthreads, __ATOMIC_ACQUIRE); i < end; i++)
        if (!__atomic_load_n(&threads[i].tls, __ATOMIC_ACQUIRE) &&
            __atomic_load_n(&threads[i].thread, __ATOMIC_RELAXED) == t->number)
            clear_last_functions(&threads[i]);
}

unsigned pf_running_begin_read(uint32_t self, struct pf_running_function *out, bool *alone)
{
    unsigned n = 0;
    __atomic_store_n(&threads[self].reading, 1, __ATOMIC_SEQ_CST);
    for (uint32_t i = 0, end = __atomic_load_n(&nthreads, __ATOMIC_ACQUIRE); i < end; i++) {
        if (i == self)
            continue;
        struct pf_tls *tls = __atomic_load_n(&threads[i].tls, __ATOMIC_SEQ_CST);
        uint64_t hash[SHOWN_FUNCTIONS];
        for (int k = 0; k < SHOWN_FUNCTIONS; k++)
            hash[k] = __atomic_load_n(&threads[i].last_functions[k], __ATOMIC_RELAXED);
        if (tls)
            functions_of(__atomic_load_n(&threads[i].stack, __ATOMIC_RELAXED),
                         __atomic_load_n(&tls->frame, __ATOMIC_RELAXED), hash);
        for (int k = 0; k < SHOWN_FUNCTIONS; k++)
            if (hash[k] && n < PF_RUNNING_FUNCTIONS_MAX && (k == 2 || hash[k] != hash[2]))
                out[n++] = (struct pf_running_function){hash[k], i, k == 2};
    }
    *alone = !n && __atomic_load_n(&expected, __ATOMIC_RELAXED) <= 0;
    if (!n)
        out[n++] = (struct pf_running_function){PF_RUNNING_NO_FUNCTION, self, false};
    return n;
}

/* why: the new value of body_switch; 0: unchanged */
static void ask_at_next_call(struct pf_tls *tls, uint32_t why)
{
    /* Only if the thread counts calls: one that must run plain bodies keeps doing so. */
    uint32_t counts = PF_DISPATCH_COUNT;
    __atomic_compare_exchange_n(&tls->dispatch, &counts, PF_DISPATCH_ASK, 0, __ATOMIC_ACQ_REL,
                                __ATOMIC_RELAXED);
    if (why && (counts == PF_DISPATCH_COUNT || counts == PF_DISPATCH_ASK))
        __atomic_store_n(&tls->body_switch, why, __ATOMIC_RELAXED);
}

void pf_running_wake(uint32_t index, bool switch_body)
{
    struct pf_tls *tls = __atomic_load_n(&threads[index].tls, __ATOMIC_ACQUIRE);
    if (!tls || tls == &__pf_tls)
        return;
    __atomic_store_n(&tls->woken, 1, __ATOMIC_SEQ_CST);
    ask_at_next_call(tls, switch_body ? PF_BODY_SWITCH_WOKEN : 0);
}

bool pf_running_is_woken(uint32_t index)
{
    struct pf_tls *tls = __atomic_load_n(&threads[index].tls, __ATOMIC_ACQUIRE);
    return tls && __atomic_load_n(&tls->woken, __ATOMIC_RELAXED);
}

void pf_running_ask_all(uint32_t self, uint32_t why)
{
    __atomic_store_n(&threads[self].reading, 1, __ATOMIC_SEQ_CST);
    for (uint32_t i = 0, end = __atomic_load_n(&nthreads, __ATOMIC_ACQUIRE); i < end; i++) {
        struct pf_tls *tls = __atomic_load_n(&threads[i].tls, __ATOMIC_SEQ_CST);
        if (tls)
            ask_at_next_call(tls, why);
    }
    pf_running_end_read(self);
}

void pf_running_end_read(uint32_t self)
{
    __atomic_store_n(&threads[self].reading, 0, __ATOMIC_RELEASE);
}
