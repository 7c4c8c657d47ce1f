/* fingerprint.c - see fingerprint.h. FNV-1a was chosen because three lines describe it, so that
 * other programs can compute fingerprints; the inputs are short. */
#include "fingerprint.h"
#include "fnv.h"
#include "textbuf.h"

static uint64_t hash_place(uint64_t h, const struct pf_stack_frame *p)
{
    h = pf_fnv_text(h, p->function);
    h = pf_fnv_text(h, p->file ? pf_str_base(p->file) : NULL);
    bool relative = p->first_line && p->line >= p->first_line;
    h = pf_fnv_number(h, relative ? p->line - p->first_line : p->line);
    return pf_fnv_number(h, p->column);
}

/* The word that stands for the op of a race's access: reads and writes at one position hash
 * alike. */
static const char *race_word(enum pf_op op)
{
    return op == PF_OP_READ || op == PF_OP_WRITE                 ? "access"
           : op == PF_OP_ATOMIC_READ || op == PF_OP_ATOMIC_WRITE ? "atomic"
                                                                 : pf_op_name(op);
}

static uint64_t hash_access(const struct pf_access *a, const char *word)
{
    uint64_t h = pf_fnv_text(PF_FNV_START, word);
    for (size_t i = 0; i < a->stack.n; i++) {
        if (pf_stack_frame_is_user(&a->stack.at[i]))
            return hash_place(h, &a->stack.at[i]);
        h = pf_fnv_text(h, a->stack.at[i].function);
    }
    return h;
}

uint64_t pf_fingerprint(const struct pf_finding *f)
{
    /* races of all kinds count as one kind: not every run can tell what the memory is */
    enum pf_kind kind = pf_kind_is_race(f->kind) ? PF_KIND_RACE : f->kind;
    uint64_t h = pf_fnv_text(PF_FNV_START, pf_kind_name(kind));
    if (pf_finding_is_pair(f)) {
        uint64_t a = hash_access(&f->accesses[0], race_word(f->accesses[0].op));
        uint64_t b = hash_access(&f->accesses[1], race_word(f->accesses[1].op));
        h = pf_fnv_number(h, a < b ? a : b);
        return pf_fnv_number(h, a < b ? b : a);
    }
    uint64_t sum = 0;
    for (size_t i = 0; i < f->naccesses; i++) {
        uint64_t one = hash_access(&f->accesses[i], pf_op_name(f->accesses[i].op));
        sum += one;
        h = f->kind == PF_KIND_DEADLOCK ? h : pf_fnv_number(h, one);
    }
    /* the hash of a deadlock's cycle does not depend on where the cycle begins */
    return f->kind == PF_KIND_DEADLOCK ? pf_fnv_number(h, sum) : h;
}
