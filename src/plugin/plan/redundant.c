/*
 * redundant.c - removes checks that another check makes redundant.
 *
 * Model:   a fact is "this thread has checked the bytes [p, p + size) (for a read or a write) since
 *          its last possible synchronisation". A check is removed if its fact is available on all
 *          paths. A read check is also removed if a write check of the same bytes follows on all
 *          paths, with neither synchronisation nor a call in between: a call need not return.
 *          Between two synchronisations a thread has one epoch, so whatever is ordered with one of
 *          the two accesses is ordered with the other.
 *          A fact about p ends where p is defined again: in a loop, one SSA value is a different
 *          address in each iteration.
 *
 * Facts about one pointer are in a list, so finding "this or a stronger fact" is a short loop.
 * There are two all-paths dataflows on bit sets: forward for facts, backward for write checks that
 * follow. Only pointers with more than one check have facts.
 */
#include "plugin.h"
#include <string.h>

struct fact {
    LLVMValueRef ptr;
    uint64_t size;
    bool write;
    uint32_t next; /* 1 + the next fact about this pointer */
};

struct facts {
    struct fact *all;
    size_t n, cap;
    struct pf_ptrmap by_ptr; /* 1 + its first fact */
};

static bool is_check(const struct pf_plan_step *s) { return s->what == PF_DO_ACCESS; }

static uint32_t fact_of(struct facts *f, const struct pf_plan_step *s)
{
    uint64_t *head = pf_ptrmap_at(&f->by_ptr, s->ptr);
    for (uint32_t i = *head; i; i = f->all[i - 1].next)
        if (f->all[i - 1].size == s->size && f->all[i - 1].write == s->write)
            return i;
    PF_PUSH(f->all, f->n, f->cap) = (struct fact){s->ptr, s->size, s->write, *head};
    return *head = f->n;
}

static bool bit(const uint64_t *set, size_t i) { return set[i / 64] >> (i % 64) & 1; }
static void set_bit(uint64_t *set, size_t i) { set[i / 64] |= 1ull << (i % 64); }

/* Returns 1 + a fact of the set that implies the step's check, preferably the step's own fact; 0 if
 * there is none. */
static uint32_t covering(const struct facts *f, const uint64_t *set, uint32_t own,
                         const struct pf_plan_step *s)
{
    if (bit(set, own - 1))
        return own;
    for (uint32_t i = *pf_ptrmap_find(&f->by_ptr, s->ptr); i; i = f->all[i - 1].next)
        if (bit(set, i - 1) && f->all[i - 1].size >= s->size && f->all[i - 1].write >= s->write)
            return i;
    return 0;
}

struct redundancy {
    struct facts facts;
    uint32_t *fact; /* for each step: 1 + fact, 0: none */
    size_t words;
    /* sets per block; born: facts whose pointer is defined in the block */
    uint64_t *in, *out, *born;
    uint64_t *ahead; /* sets per block: facts of write checks that follow on all paths */
    uint64_t *now;
    struct {
        uint32_t by; /* how many checks provide it */
        size_t step; /* one of them */
        /* a check was removed because the fact was available at the start of its block */
        bool used;
        /* a check with this fact was removed because of a stronger one, so the fact holds without
         * its own check */
        bool implied;
    } *provided; /* for each fact */
};

static void remove_covered(struct redundancy *c, size_t block, size_t k, struct pf_plan_step *s)
{
    uint32_t own = c->fact[k], by = covering(&c->facts, c->now, own, s);
    if (!by) {
        c->provided[own - 1].by++;
        c->provided[own - 1].step = k;
        return;
    }
    s->what = PF_DO_NOTHING;
    c->provided[by - 1].used |= bit(c->in + block * c->words, by - 1);
    c->provided[own - 1].implied |= by != own;
}

/* Updates c->now, the facts at the block's start, to those at its end. With `remove`, removes
 * redundant checks. */
static void walk_block(struct redundancy *c, struct pf_plan *plan, size_t block, bool remove)
{
    for (size_t w = 0; w < c->words; w++)
        c->now[w] &= ~c->born[block * c->words + w];
    for (size_t k = plan->first_step[block]; k < plan->first_step[block + 1]; k++) {
        struct pf_plan_step *s = &plan->steps[k];
        if (s->may_synchronise)
            memset(c->now, 0, c->words * sizeof *c->now);
        if (!c->fact[k])
            continue;
        if (remove)
            remove_covered(c, block, k, s);
        set_bit(c->now, c->fact[k] - 1);
    }
}

/* Updates c->now, the write checks that follow after the block in the same epoch, to those that
 * follow from its start. With `remove`, removes read checks that one of them makes redundant. */
static void walk_back(struct redundancy *c, struct pf_plan *plan, size_t block, bool remove)
{
    for (size_t k = plan->first_step[block + 1]; k-- > plan->first_step[block];) {
        struct pf_plan_step *s = &plan->steps[k];
        if (c->fact[k]) {
            if (s->write)
                set_bit(c->now, c->fact[k] - 1);
            else if (remove && covering(&c->facts, c->now, c->fact[k], s))
                s->what = PF_DO_NOTHING;
        }
        if (s->may_synchronise || s->what == PF_DO_CALL) /* a call need not return */
            memset(c->now, 0, c->words * sizeof *c->now);
    }
    for (size_t w = 0; w < c->words; w++)
        c->now[w] &= ~c->born[block * c->words + w];
}

/* Sets c->now to the write checks that follow on all paths from the block's end. */
static void look_ahead(struct redundancy *c, struct pf_plan *plan, size_t block)
{
    LLVMValueRef term = LLVMGetBasicBlockTerminator(plan->blocks[block]);
    unsigned ns = LLVMGetNumSuccessors(term);
    memset(c->now, ns ? 0xff : 0, c->words * sizeof *c->now);
    for (unsigned i = 0; i < ns; i++) {
        size_t s = *pf_ptrmap_find(&plan->block_index, LLVMGetSuccessor(term, i));
        for (size_t w = 0; w < c->words; w++)
            c->now[w] &= c->ahead[s * c->words + w];
    }
}

/* Computes, for the start of each block, the write checks that follow on all paths. Starts from
 * empty sets, so checks after a loop do not count as following the loop: it may never end. */
static void solve_ahead(struct redundancy *c, struct pf_plan *plan)
{
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t b = plan->nblocks; b-- > 0;) {
            look_ahead(c, plan, b);
            walk_back(c, plan, b, false);
            uint64_t *ahead = c->ahead + b * c->words;
            if (!memcmp(c->now, ahead, c->words * sizeof *ahead))
                continue;
            memcpy(ahead, c->now, c->words * sizeof *ahead);
            changed = true;
        }
    }
}

static void solve(struct redundancy *c, struct pf_plan *plan)
{
    size_t words = c->words, n = plan->nblocks;
    memset(c->out, 0xff, n * words * sizeof *c->out);
    memset(c->in, 0xff, n * words * sizeof *c->in);
    memset(c->in, 0, words * sizeof *c->in); /* no fact is available at the entry */
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t b = 0; b < n; b++) {
            memcpy(c->now, c->in + b * words, words * sizeof *c->now);
            walk_block(c, plan, b, false);
            if (!memcmp(c->now, c->out + b * words, words * sizeof *c->now))
                continue;
            memcpy(c->out + b * words, c->now, words * sizeof *c->now);
            LLVMValueRef term = LLVMGetBasicBlockTerminator(plan->blocks[b]);
            for (unsigned i = 0, ns = LLVMGetNumSuccessors(term); i < ns; i++) {
                size_t s = *pf_ptrmap_find(&plan->block_index, LLVMGetSuccessor(term, i));
                for (size_t w = 0; w < words; w++) {
                    uint64_t met = c->in[s * words + w] & c->now[w];
                    changed |= met != c->in[s * words + w];
                    c->in[s * words + w] = met;
                }
            }
        }
    }
}

static void note_births(struct redundancy *c, struct pf_plan *plan)
{
    for (size_t i = 0; i < c->facts.n; i++) {
        LLVMValueRef p = c->facts.all[i].ptr;
        if (!LLVMIsAInstruction(p))
            continue;
        size_t b = *pf_ptrmap_find(&plan->block_index, LLVMGetInstructionParent(p));
        set_bit(c->born + b * c->words, i);
    }
}

#define SWITCH_CHECKS_MAX 8 /* per loop */

/* Finds the checks that a switch to the watch body must repeat: checks before the edge's target
 * because of which checks after it were removed. Only facts that a single check provides are used,
 * because otherwise it is unknown which access that was. */
static void find_switch_checks(struct redundancy *c, struct pf_plan *plan)
{
    for (size_t e = 0; e < plan->nswitch_edges; e++) {
        size_t head = plan->switch_edges[e].to, n = 0;
        bool again = plan->switch_edges[e].kind == PF_SWITCH_INNER;
        for (size_t k = 0; k < e; k++)
            again |= plan->switch_edges[k].to == head;
        for (size_t i = 0; !again && i < c->facts.n && n < SWITCH_CHECKS_MAX; i++)
            if (c->provided[i].used && c->provided[i].by == 1 && !c->provided[i].implied &&
                bit(c->in + head * c->words, i) && !bit(c->born + head * c->words, i)) {
                PF_PUSH(plan->switch_checks, plan->nswitch_checks, plan->switch_checks_cap) =
                    (struct pf_switch_check){head, c->provided[i].step};
                n++;
            }
    }
}

#define SETS_MAX (64u << 20) /* bytes of sets; a function that needs more keeps all its checks */

void pf_plan_remove_redundant(struct pf_plan *plan)
{
    struct redundancy c = {0};
    struct pf_ptrmap count = {0};
    c.fact = pf_zeroed(plan->n + 1, sizeof *c.fact);
    for (size_t k = 0; k < plan->n; k++)
        if (is_check(&plan->steps[k]))
            ++*pf_ptrmap_at(&count, plan->steps[k].ptr);
    for (size_t k = 0; k < plan->n; k++)
        if (is_check(&plan->steps[k]) && *pf_ptrmap_find(&count, plan->steps[k].ptr) > 1)
            c.fact[k] = fact_of(&c.facts, &plan->steps[k]);
    c.words = (c.facts.n + 63) / 64;
    size_t sets = plan->nblocks * c.words;
    if (c.words && sets * 4 * sizeof(uint64_t) <= SETS_MAX) {
        c.in = pf_zeroed(sets, sizeof *c.in);
        c.out = pf_zeroed(sets, sizeof *c.out);
        c.born = pf_zeroed(sets, sizeof *c.born);
        c.ahead = pf_zeroed(sets, sizeof *c.ahead);
        c.now = pf_zeroed(c.words, sizeof *c.now);
        c.provided = pf_zeroed(c.facts.n, sizeof *c.provided);
        note_births(&c, plan);
        solve(&c, plan);
        for (size_t b = 0; b < plan->nblocks; b++) {
            memcpy(c.now, c.in + b * c.words, c.words * sizeof *c.now);
            walk_block(&c, plan, b, true);
        }
        solve_ahead(&c, plan);
        for (size_t b = 0; b < plan->nblocks; b++) {
            look_ahead(&c, plan, b);
            walk_back(&c, plan, b, true);
        }
        find_switch_checks(&c, plan);
    }
    free(c.in);
    free(c.out);
    free(c.born);
    free(c.ahead);
    free(c.now);
    free(c.provided);
    free(c.fact);
    free(c.facts.all);
    pf_ptrmap_release(&c.facts.by_ptr);
    pf_ptrmap_release(&count);
}
