/* finding_group.c - see finding_group.h. A group is a hash, and not a number in the document, so
 * that the same cause has the same group in the documents of several runs. */
#include "finding_group.h"
#include "fnv.h"
#include "hash_map.h"
#include "vector.h"
#include <ctype.h>
#include <stdlib.h>

static uint64_t hash_function(const struct pf_stack_frame *p)
{
    uint64_t h = pf_fnv_text(PF_FNV_START, p->function);
    return pf_fnv_text(h, p->file ? pf_str_base(p->file) : NULL);
}

static uint64_t hash_position(const struct pf_stack_frame *p)
{
    bool relative = p->first_line && p->line >= p->first_line;
    return pf_fnv_number(hash_function(p), relative ? p->line - p->first_line : p->line);
}

/* --- the object --- */

/* The name of a variable. Traces replace characters that their text form does not allow, so these
 * count as equal. */
static uint64_t hash_name(uint64_t h, const char *name)
{
    for (; *name; name++)
        h = (h ^ (unsigned char)(isalnum((unsigned char)*name) ? *name : '_')) * PF_FNV_PRIME;
    return h * PF_FNV_PRIME;
}

/* The allocation stack, without the functions of libraries; 0 if nothing remains. */
static uint64_t hash_allocation(const struct pf_backtrace *stack)
{
    uint64_t h = pf_fnv_text(PF_FNV_START, "heap");
    bool known = false;
    for (size_t i = 0; i < stack->n; i++)
        if (pf_stack_frame_is_user(&stack->at[i])) {
            h = pf_fnv_number(h, hash_position(&stack->at[i]));
            known = true;
        }
    return known ? h : 0;
}

uint64_t pf_finding_object(const struct pf_finding *f)
{
    const struct pf_location *l = &f->location;
    if (l->kind == PF_LOCATION_HEAP)
        return hash_allocation(&l->stack);
    if (!l->name || (l->kind != PF_LOCATION_GLOBAL && l->kind != PF_LOCATION_STACK))
        return 0;
    uint64_t h = pf_fnv_text(PF_FNV_START, pf_location_name(l->kind));
    if (l->kind == PF_LOCATION_STACK && l->stack.n)
        h = pf_fnv_number(h, hash_function(&l->stack.at[0]));
    return hash_name(h, l->name);
}

/* --- the code --- */

/* How well the access describes the cause. Only the accesses with the highest weight of a finding
 * belong to its code. */
static int weight(const struct pf_access *a)
{
    bool plain = a->op == PF_OP_READ || a->op == PF_OP_WRITE;
    bool library = a->stack.n && !a->stack.at[0].file; /* memcpy and similar functions */
    if (!a->range && !(library && plain))
        return 0;
    return a->op == PF_OP_READ ? 2 : 1; /* a read of a range outweighs a write of one */
}

/* The hash of a set: it depends neither on the order nor on duplicates. */
static uint64_t hash_set(uint64_t *at, size_t n)
{
    uint64_t h = PF_FNV_START;
    for (size_t i = 0; i < n; i++) { /* sorts by insertion, because sets are small */
        uint64_t v = at[i];
        size_t k = i;
        for (; k && at[k - 1] > v; k--)
            at[k] = at[k - 1];
        at[k] = v;
    }
    for (size_t i = 0; i < n; i++)
        if (!i || at[i] != at[i - 1])
            h = pf_fnv_number(h, at[i]);
    return h;
}

/* Hashes of sets; 0: unknown. */
struct finding_code {
    uint64_t functions; /* of the accesses with the highest weight */
    uint64_t positions; /* likewise */
    uint64_t all_positions; /* of all accesses */
};

static struct finding_code code_of(const struct pf_finding *f)
{
    PF_VEC(uint64_t) functions = {0}, positions = {0}, all = {0};
    int most = 0;
    bool known = true;
    for (size_t i = 0; i < f->naccesses; i++)
        most = weight(&f->accesses[i]) > most ? weight(&f->accesses[i]) : most;
    for (size_t i = 0; i < f->naccesses; i++) {
        const struct pf_stack_frame *p = pf_backtrace_source(&f->accesses[i].stack);
        known &= p && p->function;
        if (!p)
            continue;
        pf_vec_push(&all, hash_position(p));
        if (weight(&f->accesses[i]) == most) {
            pf_vec_push(&functions, hash_function(p));
            pf_vec_push(&positions, hash_position(p));
        }
    }
    struct finding_code c = {0};
    if (known && f->naccesses)
        c = (struct finding_code){hash_set(functions.at, functions.len),
                                  hash_set(positions.at, positions.len), hash_set(all.at, all.len)};
    pf_vec_release(&functions);
    pf_vec_release(&positions);
    pf_vec_release(&all);
    return c;
}

/* --- groups --- */

struct unknown_object {
    struct pf_finding *it;
    uint64_t all_positions;
};

void pf_findings_group(struct pf_findings *f)
{
    struct pf_hash_map known = {0}; /* hash of all positions -> finding with a known object */
    PF_VEC(struct unknown_object) unknown = {0};
    for (size_t i = 0; i < f->n; i++) {
        struct pf_finding *it = f->at[i];
        struct finding_code c = code_of(it);
        uint64_t object = pf_finding_object(it);
        it->group = it->id;
        if (pf_kind_is_failure(it->kind) || !c.functions)
            continue;
        if (object) {
            it->group = pf_fnv_number(object, c.functions);
            pf_hash_map_put(&known, c.all_positions, (uint32_t)i);
        } else {
            it->group = c.positions;
            pf_vec_push(&unknown, (struct unknown_object){it, c.all_positions});
        }
    }
    for (size_t i = 0; i < unknown.len; i++) {
        uint32_t same = pf_hash_map_find(&known, unknown.at[i].all_positions);
        if (same != PF_HASH_NONE)
            unknown.at[i].it->group = f->at[same]->group;
    }
    pf_hash_map_release(&known);
    pf_vec_release(&unknown);
}

struct group_member {
    uint32_t first; /* index of the first member of its group */
    uint32_t index;
    struct pf_finding *it;
};

static int by_group(const void *a, const void *b)
{
    const struct group_member *x = a, *y = b;
    int order = (x->first > y->first) - (x->first < y->first);
    return order ? order : (x->index > y->index) - (x->index < y->index);
}

void pf_findings_gather(struct pf_findings *f)
{
    struct pf_hash_map first = {0};
    PF_VEC(struct group_member) members = {0};
    for (size_t i = 0; i < f->n; i++)
        pf_vec_push(&members,
                    (struct group_member){pf_hash_map_put(&first, f->at[i]->group, (uint32_t)i),
                                          (uint32_t)i, f->at[i]});
    if (f->n)
        qsort(members.at, members.len, sizeof *members.at, by_group);
    for (size_t i = 0; i < f->n; i++)
        f->at[i] = members.at[i].it;
    pf_hash_map_release(&first);
    pf_vec_release(&members);
}

size_t pf_findings_group_end(const struct pf_findings *f, size_t first)
{
    size_t end = first;
    while (end < f->n && f->at[end]->group == f->at[first]->group)
        end++;
    return end;
}

size_t pf_findings_counted_groups(const struct pf_findings *f)
{
    struct pf_hash_map groups = {0};
    for (size_t i = 0; i < f->n; i++)
        if (!f->at[i]->suspicious)
            pf_hash_map_put(&groups, f->at[i]->group, (uint32_t)i);
    size_t n = groups.len;
    pf_hash_map_release(&groups);
    return n;
}
