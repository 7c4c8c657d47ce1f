/*
 * A walk over objects with a hash set of those seen. Every call walks anew: memory may have been
 * written by the code that leaves no events, so what was found for an earlier call need not hold.
 */
#include "reach.h"
#include "access.h"
#include "entry.h"
#include "module.h"
#include "sys.h"

#define OBJECTS 4096u
#define SLOTS (4 * OBJECTS)
#define WORDS_MAX (1u << 22) /* looked at for one call */
#define PAGE 4096u
#define GLOBALS 256u

struct object {
    uint64_t addr, size;
};

static struct pf_reach_set {
    struct object all[OBJECTS];
    uint32_t n;
    bool everything;
    uint16_t slot[SLOTS]; /* 1 + object */
} set;

static struct object named[GLOBALS]; /* PF_GLOBAL */
static uint32_t nnamed;

void __pf_global(void *addr, uint64_t size)
{
    for (uint32_t i = 0; i < nnamed; i++)
        if (named[i].addr == (uintptr_t)addr)
            return;
    if (nnamed < GLOBALS)
        named[nnamed++] = (struct object){(uintptr_t)addr, size};
}

static void add(struct object o)
{
    uint32_t at = (uint32_t)(o.addr * 0x9e3779b97f4a7c15ull >> 40) % SLOTS;
    for (; set.slot[at]; at = (at + 1) % SLOTS) {
        struct object *known = &set.all[set.slot[at] - 1];
        if (known->addr == o.addr) {
            if (known->size < o.size)
                known->size = o.size;
            return;
        }
    }
    if (set.n == OBJECTS) {
        set.everything = true;
        return;
    }
    set.all[set.n++] = o;
    set.slot[at] = (uint16_t)set.n;
}

static bool is_mapped(uint64_t addr)
{
    unsigned char in;
    return addr >= PAGE && addr < 1ull << 47 &&
           pf_sys_mincore((void *)(addr & ~(uint64_t)(PAGE - 1)), PAGE, &in) == 0;
}

/* The stack that addr is in, up to its end. */
struct stack {
    uint64_t addr, end;
};
static void look_at_stack(struct pf_thread *t, void *arg)
{
    struct stack *s = arg;
    if (s->addr >= t->stack_lo && s->addr < t->stack_hi)
        s->end = t->stack_hi;
}

/* The object that `p` points into. `handed`: the program says it is a pointer. */
static void follow(uint64_t p, bool handed)
{
    struct pf_block b;
    struct pf_global g;
    if (p < PAGE || p >= 1ull << 47 || set.everything)
        return;
    if (pf_global_find(p, &g)) {
        add((struct object){g.addr, g.size});
    } else if (pf_block_holding(p, &b)) {
        add((struct object){b.addr, b.size});
    } else {
        struct stack s = {.addr = p};
        pf_thread_each(look_at_stack, &s);
        if (s.end)
            add((struct object){p, s.end - p});
        else if (handed && is_mapped(p))
            add((struct object){p, PAGE - p % PAGE});
    }
}

static void add_variable(const struct pf_global *g, void *unused)
{
    (void)unused;
    if (g->size)
        add((struct object){g->addr, g->size});
}

#define GAP 32 /* between two ranges that are told as one: alignment */

/* By address, neighbours together. */
static void tidy(void)
{
    struct object *a = set.all;
    for (uint32_t gap = set.n / 2; gap; gap /= 2)
        for (uint32_t i = gap; i < set.n; i++) {
            struct object o = a[i];
            uint32_t k = i;
            for (; k >= gap && a[k - gap].addr > o.addr; k -= gap)
                a[k] = a[k - gap];
            a[k] = o;
        }
    uint32_t n = 0;
    for (uint32_t i = 0; i < set.n; i++) {
        uint64_t end = a[i].addr + a[i].size;
        if (n && a[i].addr <= a[n - 1].addr + a[n - 1].size + GAP) {
            if (end > a[n - 1].addr + a[n - 1].size)
                a[n - 1].size = end - a[n - 1].addr;
        } else {
            a[n++] = a[i];
        }
    }
    set.n = n;
}

struct pf_reach_set *pf_reach_find(uint32_t n, void *const *pointers, bool variables)
{
    pf_zero(set.slot, sizeof set.slot);
    set.n = 0;
    set.everything = false;
    for (uint32_t i = 0; i < nnamed; i++)
        add(named[i]);
    if (variables)
        pf_global_each(0, add_variable, NULL);
    for (uint32_t i = 0; i < n && !set.everything; i++)
        follow((uintptr_t)pointers[i], true);
    uint64_t words = 0;
    for (uint32_t i = 0; i < set.n && !set.everything; i++) {
        struct object o = set.all[i];
        uint64_t from = (o.addr + 7) & ~7ull, end = o.addr + o.size;
        for (; from + 8 <= end && !set.everything; from += 8) {
            if (++words > WORDS_MAX)
                set.everything = true;
            follow(*(volatile uint64_t *)from, false);
        }
    }
    if (set.everything) {
        set.all[0] = (struct object){0, 1ull << 47};
        set.n = 1;
    }
    tidy();
    return &set;
}

uint64_t pf_reach_count(const struct pf_reach_set *s) { return s->n; }

void pf_reach_each(const struct pf_reach_set *s, void (*f)(void *, uint64_t addr, uint64_t size),
                   void *arg)
{
    for (uint32_t i = 0; i < s->n; i++)
        f(arg, s->all[i].addr, s->all[i].size);
}
