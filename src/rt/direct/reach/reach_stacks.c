/*
 * reach_stacks.c - see reach_stacks.h.
 */
#include "reach_stacks.h"
#include "context.h"
#include "sys.h"
#include "thread_table.h"

#define STACKS 1024u /* with more of them, a walk reaches everything */

static struct pf_walk_stack stacks[STACKS];
static uint32_t nstacks;
static uint64_t running_sp; /* start of the running thread's stack, without the runtime's frames */
static uint32_t threads; /* number of threads when the stacks were listed */
static bool stacks_noted, too_many;
bool pf_walk_heap_stacks;

static struct pf_walk_stack whole_stack(uint64_t lo, uint64_t base, uint64_t hi)
{
    if (base <= lo || base > hi)
        base = hi;
    return (struct pf_walk_stack){lo, lo, base, base, hi, hi, hi, NULL};
}

static void note_stack(struct pf_thread *t, void *unused)
{
    (void)unused;
    if (nstacks == STACKS)
        too_many = true;
    else
        stacks[nstacks++] = whole_stack(t->stack_lo, t->stack_base, t->stack_hi);
}

static struct pf_walk_stack *stack_at(uint64_t p)
{
    for (uint32_t i = 0; i < nstacks; i++)
        if (p >= stacks[i].lo && p < stacks[i].top)
            return &stacks[i];
    return NULL;
}

static void note_use(uint64_t sp, uint64_t fs, const struct pf_context *of)
{
    struct pf_walk_stack *s = stack_at(sp);
    if (!s)
        return;
    s->live = sp - PF_STACK_RED_ZONE;
    s->of = of;
    if (fs > sp && fs < s->top) {
        s->hi = s->high = fs;
        if (s->base > fs)
            s->base = s->low = fs;
    }
}

void pf_walk_set_running_sp(uint64_t sp) { running_sp = sp; }

uint64_t pf_walk_stack_live(const struct pf_walk_thread *t)
{
    if (!t->of || t->of->state == PF_CONTEXT_ENDED)
        return 0;
    uint64_t sp = t->of == pf_context_self() ? running_sp : (uintptr_t)t->of->sp;
    return sp - t->lo < t->hi - t->lo ? sp - PF_STACK_RED_ZONE : 0;
}

static void note_stacks(void)
{
    nstacks = 0;
    stacks_noted = true;
    threads = pf_contexts();
    pf_thread_each(note_stack, NULL);
    for (uint32_t i = 0, n = pf_contexts(); i < n; i++) {
        const struct pf_context *c = pf_context_at(i);
        if (c && c->state != PF_CONTEXT_ENDED && c != pf_context_self())
            note_use((uintptr_t)c->sp, c->fs, c);
    }
    note_use(running_sp, pf_context_self()->fs, pf_context_self());
    pf_walk_heap_stacks = false;
    for (uint32_t i = 0; i < nstacks; i++)
        pf_walk_heap_stacks |= pf_walk_in_heap(stacks[i].lo);
}

void pf_walk_forget_stacks(void)
{
    stacks_noted = false;
    pf_walk_heap_stacks |= pf_contexts() != threads; /* unknown until they are listed again */
}

bool pf_walk_find_heap_stacks(void)
{
    if (!stacks_noted)
        note_stacks();
    return pf_walk_heap_stacks;
}

struct pf_walk_stack *pf_walk_stack_of(uint64_t p)
{
    if (!stacks_noted)
        note_stacks();
    return stack_at(p);
}

static void add_piece(struct pf_walk *w, struct pf_mem_range o, bool unbounded)
{
    for (uint32_t i = 0; i < w->npieces; i++)
        if (o.addr >= w->piece[i].addr && o.addr + o.size <= w->piece[i].addr + w->piece[i].size)
            return;
    if (w->npieces == PF_WALK_PIECES) {
        w->everything = true;
    } else {
        w->unbounded[w->npieces] = unbounded;
        w->piece[w->npieces++] = o;
    }
}

struct pf_walk_thread pf_walk_stack_thread(uint64_t p)
{
    const struct pf_walk_stack *s = pf_walk_stack_of(p);
    return s && s->of ? (struct pf_walk_thread){s->of, s->of->stopped_at, s->lo, s->hi}
                      : (struct pf_walk_thread){0};
}

uint64_t pf_walk_stack_end(uint64_t p)
{
    const struct pf_walk_stack *s = pf_walk_stack_of(p);
    return !s ? 0 : p < s->base ? s->base : s->hi;
}

void pf_walk_add_bounds(struct pf_walk *w, struct pf_mem_range o)
{
    const struct pf_walk_stack *s = o.size ? pf_walk_stack_of(o.addr) : NULL;
    if (s && o.addr >= s->live && o.size <= s->hi - o.addr && w->nbounds < PF_WALK_BOUNDS)
        w->bounds[w->nbounds++] = o;
}

void pf_walk_add_word_bounds(struct pf_walk *w, uint32_t n, void *const *words)
{
    for (uint32_t i = 0; i < n; i++) {
        uint64_t p = (uintptr_t)words[i], size = p >> PF_WORD_SIZE_SHIFT;
        pf_walk_add_bounds(w, (struct pf_mem_range){p - (size << PF_WORD_SIZE_SHIFT), size});
    }
}

bool pf_walk_in_stack(struct pf_walk *w, uint64_t p, uint64_t size)
{
    struct pf_walk_stack *s = pf_walk_stack_of(p);
    w->everything |= too_many;
    uint64_t *low = !s ? NULL : p < s->base ? &s->low : &s->high;
    if (!s || p < s->live || p >= *low)
        return s;
    for (uint32_t i = 0; i < w->nbounds; i++)
        if (p - w->bounds[i].addr < w->bounds[i].size) {
            add_piece(w, w->bounds[i], false);
            return true;
        }
    if (size && size <= s->hi - p) {
        add_piece(w, (struct pf_mem_range){p, size}, false);
    } else {
        add_piece(w, (struct pf_mem_range){p, *low - p}, true);
        *low = p;
    }
    return true;
}

bool pf_walk_in_unlisted_stack(struct pf_walk *w, uint64_t p, uint64_t lo, uint64_t hi)
{
    const struct pf_context *of = NULL;
    for (uint32_t i = 0, n = pf_contexts(); i < n; i++) {
        const struct pf_context *c = pf_context_at(i);
        if (c != pf_context_self() && c->fs - lo < hi - lo &&
            *(volatile uint64_t *)c->fs == c->fs && (!of || of->state == PF_CONTEXT_ENDED))
            of = c;
    }
    if (!of || nstacks == STACKS)
        return false;
    if (p >= of->fs)
        return true; /* data of libc */
    uint64_t live = of->state == PF_CONTEXT_ENDED ? of->fs : (uintptr_t)of->sp - PF_STACK_RED_ZONE;
    if (live - lo >= hi - lo)
        return false;
    w->irregular = true;
    stacks[nstacks] = whole_stack(lo, 0, of->fs);
    stacks[nstacks].top = hi;
    stacks[nstacks++].live = live;
    return pf_walk_in_stack(w, p, 0);
}
