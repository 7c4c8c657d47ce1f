/*
 * redundant.c - strikes checks that another check makes needless.
 *
 * Model:   a fact is "the bytes [p, p + size) were checked (as read or as write) by this thread since
 *          its last possible synchronisation". A check whose fact is available on all paths is
 *          struck; so is a read check when a write check of the same bytes surely follows, on all
 *          paths and with no synchronisation between. Between two synchronisations a thread has one
 *          epoch, so what is ordered with one of the two accesses is ordered with the other.
 *          A fact about p dies where p is defined anew: in a loop the same SSA value is another
 *          address each time round.
 *
 * Facts of one pointer are kept as a run of bits, so that "this or a stronger fact" is a small loop.
 * Forward, all-paths dataflow on bit sets; only pointers that are checked more than once have facts.
 */
#include "plugin.h"
#include <string.h>

struct fact {
    LLVMValueRef ptr;
    uint64_t size;
    bool write;
    uint32_t next; /* 1 + the next fact of this pointer */
};

struct facts {
    struct fact *all;
    size_t n, cap;
    struct pf_ptrmap by_ptr; /* 1 + first fact; before that, the number of checks */
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

/* 1 + a fact of the set that implies the step's check, its own if that is there; 0: none does. */
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
    uint32_t *fact; /* of each step: 1 + fact, 0 none */
    size_t words;
    uint64_t *in, *out, *born; /* per block: sets; born: facts whose pointer is defined there */
    uint64_t *ahead; /* per block: facts of writes that surely follow */
    uint64_t *now;
    struct {
        uint32_t by; /* checks that state it */
        size_t step; /* one of them */
        bool used;   /* a check was struck because it came into the block */
        bool implied; /* a struck check states it that it did not itself redundancy */
    } *stated;     /* of each fact */
};

static void remove_covered(struct redundancy *c, size_t block, size_t k, struct pf_plan_step *s)
{
    uint32_t own = c->fact[k], by = covering(&c->facts, c->now, own, s);
    if (!by) {
        c->stated[own - 1].by++;
        c->stated[own - 1].step = k;
        return;
    }
    s->what = PF_DO_NOTHING;
    c->stated[by - 1].used |= bit(c->in + block * c->words, by - 1);
    c->stated[own - 1].implied |= by != own;
}

/* Facts after the block, from c->now. With `remove`, covered checks are struck. */
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

/* c->now: the write checks that surely follow behind the block, in this epoch; then: before it. With `remove`,
 * reads that one of them covers are struck. */
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
        if (s->may_synchronise || s->what == PF_DO_CALL) /* a call need not come back */
            memset(c->now, 0, c->words * sizeof *c->now);
    }
    for (size_t w = 0; w < c->words; w++)
        c->now[w] &= ~c->born[block * c->words + w];
}

/* c->now: what is ahead on all ways out of the block. */
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

/* Before each block: the write checks that surely follow. From nothing upwards, so that what is behind a loop is not
 * ahead of it: it may never be left. */
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
    memset(c->in, 0, words * sizeof *c->in); /* the entry block knows nothing */
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

#define SWITCH_CHECKS_MAX 8 /* for one loop */

/* For those who come into a loop from the plain body: the checks before it that struck others in it or behind. Only
 * where one check alone states the fact it is known which access that was. */
static void find_switch_checks(struct redundancy *c, struct pf_plan *plan)
{
    for (size_t e = 0; e < plan->nback_edges; e++) {
        size_t head = plan->back_edges[e].head, n = 0;
        bool again = false;
        for (size_t k = 0; k < e; k++)
            again |= plan->back_edges[k].head == head;
        for (size_t i = 0; !again && i < c->facts.n && n < SWITCH_CHECKS_MAX; i++)
            if (c->stated[i].used && c->stated[i].by == 1 && !c->stated[i].implied &&
                bit(c->in + head * c->words, i) && !bit(c->born + head * c->words, i)) {
                PF_PUSH(plan->switch_checks, plan->nswitch_checks, plan->switch_checks_cap) =
                    (struct pf_switch_check){head, c->stated[i].step};
                n++;
            }
    }
}

#define SETS_MAX (64u << 20) /* bytes of sets; beyond it checks simply stay */

void pf_plan_remove_redundant(struct pf_unit *u, struct pf_plan *plan)
{
    struct redundancy c = {0};
    struct pf_ptrmap count = {0};
    c.fact = calloc(plan->n + 1, sizeof *c.fact);
    if (!c.fact)
        abort();
    for (size_t k = 0; k < plan->n; k++)
        if (is_check(&plan->steps[k]))
            ++*pf_ptrmap_at(&count, plan->steps[k].ptr);
    for (size_t k = 0; k < plan->n; k++)
        if (is_check(&plan->steps[k]) && *pf_ptrmap_find(&count, plan->steps[k].ptr) > 1)
            c.fact[k] = fact_of(&c.facts, &plan->steps[k]);
    c.words = (c.facts.n + 63) / 64;
    size_t sets = plan->nblocks * c.words;
    if (c.words && sets * 4 * sizeof(uint64_t) <= SETS_MAX) {
        c.in = calloc(sets, sizeof *c.in);
        c.out = calloc(sets, sizeof *c.out);
        c.born = calloc(sets, sizeof *c.born);
        c.ahead = calloc(sets, sizeof *c.ahead);
        c.now = calloc(c.words, sizeof *c.now);
        c.stated = calloc(c.facts.n, sizeof *c.stated);
        if (!c.in || !c.out || !c.born || !c.ahead || !c.now || !c.stated)
            abort();
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
    free(c.stated);
    free(c.fact);
    free(c.facts.all);
    pf_ptrmap_release(&c.facts.by_ptr);
    pf_ptrmap_release(&count);
}
