/*
 * Records of functions are not followed through another thread's stack: they may be in an object that was
 * unloaded since. Their addresses are looked up in a table that those who run them fill.
 */
#include "running_functions.h"
#include "function_pairs.h"
#include "module.h"
#include "sys.h"

#define NAMES (PF_FUNCS_MAX * 2)
#define SHOWN 3   /* functions that a thread is in, as told */
#define NATIVES 4 /* interposed functions that may stand on top */

static struct seat {
    struct pf_tls *tls; /* NULL: free */
    struct pf_frame *stack; /* its first frame, of no function */
    uint64_t left[SHOWN];   /* what it ran last, when it has ended and nobody has joined it */
    uint32_t looking, taken;
    uint32_t thread; /* its number */
    char pad[12];
} seats[PF_SEATS];
static uint32_t nseats;
static int expected; /* threads that were created and have not begun */
#define NOTHING 2ull /* the name of what such a thread runs */

static struct name {
    struct pf_func *func;
    uint64_t name;
} *names;

static void clear_left(struct seat *s)
{
    for (int k = 0; k < SHOWN; k++)
        s->left[k] = 0;
}

uint32_t pf_seat_take(struct pf_thread *t)
{
    if (!names) {
        struct name *n = pf_sys_map(NULL, NAMES * sizeof *n), *none = NULL;
        if (!n)
            return UINT32_MAX;
        if (!__atomic_compare_exchange_n(&names, &none, n, 0, __ATOMIC_ACQ_REL, __ATOMIC_ACQUIRE))
            pf_sys(SYS_munmap, n, NAMES * sizeof *n);
    }
    for (uint32_t i = 0; i < PF_SEATS; i++) {
        uint32_t free = 0;
        if (!__atomic_compare_exchange_n(&seats[i].taken, &free, 1, 0, __ATOMIC_ACQ_REL,
                                         __ATOMIC_RELAXED))
            continue;
        seats[i].thread = t->number;
        clear_left(&seats[i]);
        seats[i].stack = t->frames;
        __atomic_store_n(&seats[i].tls, t->tls, __ATOMIC_RELEASE);
        uint32_t n = __atomic_load_n(&nseats, __ATOMIC_RELAXED);
        while (n <= i && !__atomic_compare_exchange_n(&nseats, &n, i + 1, 0, __ATOMIC_ACQ_REL,
                                                      __ATOMIC_RELAXED))
            ;
        return i;
    }
    return UINT32_MAX;
}

void pf_seat_expect(int by) { __atomic_fetch_add(&expected, by, __ATOMIC_RELAXED); }

void pf_seat_alone(uint32_t seat)
{
    expected = 0;
    for (uint32_t i = 0; i < nseats; i++)
        if (i != seat)
            seats[i] = (struct seat){0};
}

static struct name *find(struct pf_func *f)
{
    uint32_t i = (uint32_t)((uintptr_t)f >> 3) * 0x9e3779b1u & (NAMES - 1);
    for (;; i = (i + 1) & (NAMES - 1)) {
        struct pf_func *there = __atomic_load_n(&names[i].func, __ATOMIC_ACQUIRE);
        if (there == f || !there)
            return &names[i];
    }
}

uint64_t pf_seat_name(struct pf_func *f)
{
    uint64_t name = pf_function_name(pf_rel_str(&f->name), pf_rel_str(&f->file), f->hash);
    name = (name & ~PF_SEEN_LOOPS) | (f->flags & PF_FUNCF_LOOPS ? PF_SEEN_LOOPS : 0);
    for (;;) {
        struct name *n = find(f);
        struct pf_func *none = NULL;
        if (n->func == f || __atomic_compare_exchange_n(&n->func, &none, f, 0, __ATOMIC_ACQ_REL,
                                                        __ATOMIC_RELAXED)) {
            __atomic_store_n(&n->name, name, __ATOMIC_RELEASE);
            return name;
        }
    }
}

static uint64_t known(struct pf_func *f)
{
    struct name *of = f ? find(f) : NULL;
    return of && of->func ? __atomic_load_n(&of->name, __ATOMIC_ACQUIRE) : 0;
}

/* What a thread with this stack runs: out[0] the function above the top, out[1] the one on top, out[2] the one that it began
 * with; 0: none. */
static void running(struct pf_frame *stack, struct pf_frame *top, uint64_t out[SHOWN])
{
    out[0] = known(__atomic_load_n(&top[0].func, __ATOMIC_RELAXED));
    out[1] = 0;
    for (int k = 1; k <= NATIVES && !out[1]; k++) {
        struct pf_func *f = __atomic_load_n(&top[-k].func, __ATOMIC_RELAXED);
        if (!f)
            break; /* the root */
        out[1] = known(f);
    }
    if (out[1] == out[0])
        out[1] = 0;
    out[2] = top > stack + 1 ? known(__atomic_load_n(&stack[1].func, __ATOMIC_RELAXED)) : 0;
}

void pf_seat_leave(uint32_t seat, struct pf_frame *top)
{
    running(seats[seat].stack, top, seats[seat].left);
    __atomic_store_n(&seats[seat].tls, NULL, __ATOMIC_SEQ_CST);
    for (uint32_t i = 0; i < nseats; i++)
        while (i != seat && __atomic_load_n(&seats[i].looking, __ATOMIC_SEQ_CST))
            pf_sys(SYS_sched_yield);
    __atomic_store_n(&seats[seat].taken, 0, __ATOMIC_RELEASE);
}

void pf_seat_joined(const struct pf_thread *t)
{
    for (uint32_t i = 0; i < nseats; i++)
        if (!seats[i].tls && seats[i].thread == t->number)
            clear_left(&seats[i]);
}

unsigned pf_seat_look(uint32_t self, struct pf_seen *out, bool *alone)
{
    unsigned n = 0;
    __atomic_store_n(&seats[self].looking, 1, __ATOMIC_SEQ_CST);
    for (uint32_t i = 0, end = __atomic_load_n(&nseats, __ATOMIC_ACQUIRE); i < end; i++) {
        if (i == self)
            continue;
        struct pf_tls *tls = __atomic_load_n(&seats[i].tls, __ATOMIC_SEQ_CST);
        uint64_t name[SHOWN] = {seats[i].left[0], seats[i].left[1], seats[i].left[2]};
        if (tls)
            running(seats[i].stack, __atomic_load_n(&tls->frame, __ATOMIC_RELAXED), name);
        for (int k = 0; k < SHOWN; k++)
            if (name[k] && n < PF_SEEN_MAX && (k == 2 || name[k] != name[2]))
                out[n++] = (struct pf_seen){name[k], i, k == 2};
    }
    *alone = !n && __atomic_load_n(&expected, __ATOMIC_RELAXED) <= 0;
    if (!n)
        out[n++] = (struct pf_seen){NOTHING, self, false};
    return n;
}

void pf_seat_wake(uint32_t seat, bool cross)
{
    struct pf_tls *tls = __atomic_load_n(&seats[seat].tls, __ATOMIC_ACQUIRE);
    if (!tls || tls == &__pf_tls)
        return;
    /* Only one that counts: one that is to run plain bodies stays with them. */
    uint32_t counts = PF_DISPATCH_COUNT;
    __atomic_store_n(&tls->woken, 1, __ATOMIC_SEQ_CST);
    __atomic_compare_exchange_n(&tls->dispatch, &counts, PF_DISPATCH_ASK, 0, __ATOMIC_ACQ_REL,
                                __ATOMIC_RELAXED);
    if (cross && (counts == PF_DISPATCH_COUNT || counts == PF_DISPATCH_ASK))
        __atomic_store_n(&tls->cross, 1, __ATOMIC_RELAXED);
}

void pf_seat_done(uint32_t self) { __atomic_store_n(&seats[self].looking, 0, __ATOMIC_RELEASE); }
