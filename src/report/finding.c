/* finding.c - see finding.h: tables of words, and small queries on a finding. */
#include "finding.h"
#include "pool.h"
#include "textbuf.h"

static const char *const kinds[] = {
#define PF_KIND(name, json, title, suppression, option) json,
#include "finding.def"
#undef PF_KIND
};
static const char *const titles[] = {
#define PF_KIND(name, json, title, suppression, option) title,
#include "finding.def"
#undef PF_KIND
};
static const char *const statuses[] = {
#define PF_STATUS(name, json) json,
#include "finding.def"
#undef PF_STATUS
};
static const char *const ops[] = {
#define PF_OP(name, json, text) json,
#include "finding.def"
#undef PF_OP
};
static const char *const locations[] = {
#define PF_LOCATION(name, json) json,
#include "finding.def"
#undef PF_LOCATION
};

static const char *const classes[] = {
#define PF_VERDICT(name, json, words) json,
#include "finding.def"
#undef PF_VERDICT
};

static int find(const char *const *words, int n, const char *word)
{
    for (int i = 0; i < n; i++)
        if (pf_str_same(words[i], word))
            return i;
    return -1;
}

const char *pf_kind_name(enum pf_kind k) { return kinds[k]; }
const char *pf_kind_title(enum pf_kind k) { return titles[k]; }
bool pf_finding_is_lock_order(const struct pf_finding *f)
{
    if (f->kind != PF_KIND_DEADLOCK || f->status != PF_STATUS_PREDICTED ||
        !pf_str_same(f->analysis, "lock-order"))
        return false;
    for (size_t i = 0; i < f->naccesses; i++)
        if (f->accesses[i].nlocks != 1)
            return false;
    return f->naccesses > 1;
}

const char *pf_finding_kind_title(const struct pf_finding *f)
{
    if (pf_finding_is_lock_order(f))
        return "lock-order-inversion (potential deadlock)";
    if (pf_finding_is_pair(f) && f->accesses[1].op == PF_OP_FREE)
        return f->kind == PF_KIND_VPTR_RACE ? "heap-use-after-free (virtual call vs free)"
                                            : "heap-use-after-free";
    if (f->kind == PF_KIND_VPTR_RACE && f->naccesses && f->accesses[0].op == PF_OP_FREE)
        return titles[PF_KIND_RACE]; /* as in ThreadSanitizer, which looks at the later access */
    return titles[f->kind];
}
const char *pf_finding_status_name(enum pf_finding_status s) { return statuses[s]; }
const char *pf_op_name(enum pf_op op) { return ops[op]; }
const char *pf_location_name(enum pf_location_kind k) { return locations[k]; }

int pf_kind_from(const char *word) { return find(kinds, PF_KINDS, word); }
int pf_finding_status_from(const char *word) { return find(statuses, PF_STATUSES, word); }
int pf_op_from(const char *word) { return find(ops, PF_OPS, word); }
int pf_location_from(const char *word) { return find(locations, PF_LOCATIONS, word); }
const char *pf_judge_class_name(enum pf_judge_class c) { return classes[c]; }
int pf_judge_class_from(const char *word) { return find(classes, PF_JUDGED_CLASSES, word); }

bool pf_finding_is_judged(const struct pf_finding *f)
{
    bool open = f->judged && f->judged->incomplete && pf_finding_class(f) == PF_JUDGED_UNDECIDED;
    return f->verdict && !open;
}

enum pf_judge_class pf_finding_class(const struct pf_finding *f)
{
    int judged = f->verdict ? pf_judge_class_from(f->verdict) : -1;
    bool pattern =
        pf_kind_is_race(f->kind) || f->kind == PF_KIND_ATOMICITY || f->kind == PF_KIND_ATOMIC_SET;
    if (judged >= 0)
        return (enum pf_judge_class)judged;
    return f->harm || !pattern ? PF_JUDGED_SPEC_VIOLATED : PF_JUDGED_UNDECIDED;
}

enum pf_finding_status pf_finding_surer(enum pf_finding_status a, enum pf_finding_status b)
{
    if (a == PF_STATUS_CONFIRMED || b == PF_STATUS_CONFIRMED)
        return PF_STATUS_CONFIRMED;
    return a == PF_STATUS_OBSERVED ? a : b;
}

bool pf_stack_frame_is_user(const struct pf_stack_frame *p)
{
    if (!p->file || pf_str_starts(p->file, "/usr/include/") || pf_str_starts(p->file, "/usr/lib/"))
        return false;
    for (const char *s = p->file; *s; s++)
        if (pf_str_starts(s, "/include/c++/"))
            return false;
    return true;
}

const struct pf_stack_frame *pf_backtrace_source(const struct pf_backtrace *t)
{
    for (size_t i = 0; i < t->n; i++)
        if (pf_stack_frame_is_user(&t->at[i]))
            return &t->at[i];
    for (size_t i = 0; i < t->n; i++)
        if (t->at[i].file)
            return &t->at[i];
    return t->n ? t->at : NULL;
}

const struct pf_backtrace *pf_finding_stack(const struct pf_finding *f)
{
    for (size_t i = 0; i < f->naccesses; i++)
        if (f->accesses[i].stack.n)
            return &f->accesses[i].stack;
    return NULL;
}

/* True if the lock is listed before lock number `lock` of access number `access`. */
static bool listed_before(const struct pf_finding *f, size_t access, size_t lock, uintptr_t address)
{
    for (size_t i = 0; i <= access; i++) {
        const struct pf_access *a = &f->accesses[i];
        for (size_t k = 0; k < (i < access ? a->nlocks : lock); k++)
            if (a->locks[k].address == address)
                return true;
    }
    return false;
}

/* The number of different locks listed before it. Quadratic, but a finding lists few locks. */
size_t pf_finding_lock_number(const struct pf_finding *f, uintptr_t address)
{
    size_t number = 0;
    for (size_t i = 0; i < f->naccesses; i++) {
        const struct pf_access *a = &f->accesses[i];
        for (size_t k = 0; k < a->nlocks; k++) {
            if (a->locks[k].address == address)
                return number;
            number += !listed_before(f, i, k, a->locks[k].address);
        }
    }
    return number;
}

const struct pf_thread_info *pf_finding_thread(const struct pf_finding *f, uint32_t number)
{
    for (size_t i = 0; i < f->nthreads; i++)
        if (f->threads[i].number == number)
            return &f->threads[i];
    return NULL;
}

const char *pf_source_name(struct pf_pool *pool, const char *symbol)
{
    const char *dot = NULL;
    for (const char *s = symbol; s && *s; s++) {
        if (pf_str_starts(s, ")::"))
            symbol = s + 3;
        if (*s == '.')
            dot = s;
    }
    if (!dot || dot < symbol)
        return symbol;
    if (dot[1] < '0' || dot[1] > '9')
        return dot + 1;
    return pf_source_name(pool, pf_pool_text(pool, symbol, (size_t)(dot - symbol)));
}
