/*
 * bad_access_build.c - builds the findings of invalid memory accesses (race_build.h).
 */
#include "cell.h"
#include "ended_scope.h"
#include "finding_builder.h"
#include "fingerprint.h"
#include "module.h"
#include "race_build.h"
#include "reporter.h"
#include "slot.h"
#include "thread_table.h"

void pf_bad_access_set_variable(struct pf_bad_access *e, enum pf_bad_access_kind kind,
                                const struct pf_func *f, uint32_t site, uintptr_t addr,
                                uint64_t size)
{
    const struct pf_site *s = pf_func_site(f, site);
    e->kind = kind;
    e->function = pf_rel_str(&pf_site_scope(s)->func);
    e->object = (struct pf_global){.addr = addr,
                                   .size = size,
                                   .name = pf_rel_str(&s->var),
                                   .file = pf_rel_str(&pf_site_scope(s)->file),
                                   .line = s->line};
}

bool pf_bad_access_find_scope(struct pf_bad_access *e)
{
    struct pf_ended_variable v;
    if (!pf_ended_variable_find(e->addr, &v, &e->owner))
        return false;
    pf_bad_access_set_variable(e, PF_BAD_ACCESS_AFTER_SCOPE, v.func, v.site, v.addr, v.size);
    return true;
}

struct pf_bad_access pf_bad_access_of_mark(struct pf_thread *t, uintptr_t granule, uint64_t now,
                                           uint64_t then)
{
    unsigned mask = (unsigned)(now >> PF_MASK_SHIFT);
    uint64_t freed = t->shadow.reported_free;
    return (struct pf_bad_access){
        .t = t,
        .kind = PF_BAD_ACCESS_AFTER_FREE,
        .id = pf_access_id(now),
        .addr = granule + (uintptr_t)__builtin_ctz(mask | 0x100),
        .size = (size_t)__builtin_popcount(mask),
        .byte = granule,
        .write = now & PF_BIT_W,
        .freed_at = pf_access_id(then),
        .freed_by = pf_access_clk(then) - 1,
        .lockset = t->order.lockset,
        .freed_lockset = freed ? pf_epoch_lockset(pf_access_sid(freed), pf_access_clk(freed)) : 0};
}

static void build_step(struct pf_finding_builder *b, struct pf_access *a, uint32_t thread,
                       uint32_t id, enum pf_op op, uintptr_t addr, size_t size)
{
    struct pf_position top = {0};
    *a = (struct pf_access){.thread = thread,
                            .op = op,
                            .size = size,
                            .address = addr,
                            .stack = pf_builder_stack(b, id, &top)};
}

/* The declaration of the variable takes the place of the allocation. */
static void build_variable(struct pf_finding_builder *b, struct pf_finding *f, struct pf_access *a,
                           const struct pf_bad_access *e)
{
    struct pf_stack_frame *at = pf_pool_get(b->pool, sizeof *at);
    bool global = e->kind == PF_BAD_ACCESS_GLOBAL;
    if (!at) {
        b->failed = true;
        return;
    }
    *at = (struct pf_stack_frame){.function =
                                      pf_builder_text(b, global ? e->object.name : e->function),
                                  .file = pf_builder_text(b, e->object.file),
                                  .line = e->object.line};
    f->location = (struct pf_location){.kind = global ? PF_LOCATION_GLOBAL : PF_LOCATION_STACK,
                                       .name = pf_builder_text(b, e->object.name),
                                       .file = at->file,
                                       .line = at->line,
                                       .thread = e->owner,
                                       .address = e->object.addr,
                                       .size = e->object.size,
                                       .stack = {at, !global}};
    *a = (struct pf_access){.thread = e->owner,
                            .op = PF_OP_ALLOC,
                            .size = e->object.size,
                            .address = e->object.addr,
                            .variable = f->location.name,
                            .stack = {at, 1}};
}

struct pf_finding *pf_bad_access_build(struct pf_pool *pool, const struct pf_bad_access *e)
{
    static const enum pf_kind kinds[] = {[PF_BAD_ACCESS_OVERFLOW] = PF_KIND_HEAP_OVERFLOW,
                                         [PF_BAD_ACCESS_AFTER_FREE] = PF_KIND_USE_AFTER_FREE,
                                         [PF_BAD_ACCESS_FREED_TWICE] = PF_KIND_DOUBLE_FREE,
                                         [PF_BAD_ACCESS_STACK] = PF_KIND_STACK_OVERFLOW,
                                         [PF_BAD_ACCESS_GLOBAL] = PF_KIND_GLOBAL_OVERFLOW,
                                         [PF_BAD_ACCESS_AFTER_SCOPE] = PF_KIND_USE_AFTER_SCOPE};
    struct pf_finding_builder b = pf_builder_for(pool);
    struct pf_finding *f = pf_builder_begin(&b, kinds[e->kind], "memory", 2, 3);
    if (!f)
        return NULL;
    struct pf_access *accesses = f->accesses;
    bool after_scope = e->kind == PF_BAD_ACCESS_AFTER_SCOPE;
    if (e->kind == PF_BAD_ACCESS_STACK || e->kind == PF_BAD_ACCESS_GLOBAL || after_scope)
        build_variable(&b, f, &accesses[f->naccesses++], e);
    else if (e->kind == PF_BAD_ACCESS_OVERFLOW)
        build_step(&b, &accesses[f->naccesses++], e->block.thread, e->block.where, PF_OP_ALLOC,
                   e->block.addr, e->block.size);
    else
        build_step(&b, &accesses[f->naccesses++], e->freed_by, e->freed_at, PF_OP_FREE,
                   e->block.addr, e->block.size);
    if (after_scope) /* the variable is the location only; the first step is the end of its scope */
        build_step(&b, &accesses[0], e->owner, e->freed_at, PF_OP_END, e->object.addr,
                   e->object.size);
    build_step(&b, &accesses[f->naccesses++], e->t->number, e->id,
               e->kind == PF_BAD_ACCESS_FREED_TWICE ? PF_OP_FREE
               : e->write                           ? PF_OP_WRITE
                                                    : PF_OP_READ,
               e->addr, e->size);
    pf_builder_locks(&b, &accesses[0], e->freed_lockset);
    pf_builder_locks(&b, &accesses[f->naccesses - 1], e->lockset);
    if (e->block.size)
        f->location = (struct pf_location){.kind = PF_LOCATION_HEAP,
                                           .freed = e->block.freed,
                                           .thread = e->block.thread,
                                           .address = e->block.addr,
                                           .size = e->block.size,
                                           .stack = pf_builder_stack(&b, e->block.where, NULL)};
    pf_builder_add_thread(&b, e->t);
    if (e->kind == PF_BAD_ACCESS_STACK || after_scope)
        pf_builder_add_thread(&b, pf_thread_by_number(e->owner));
    else if (e->kind == PF_BAD_ACCESS_AFTER_FREE || e->kind == PF_BAD_ACCESS_FREED_TWICE)
        pf_builder_add_thread(&b, pf_thread_by_number(e->freed_by));
    if (e->block.size)
        pf_builder_add_thread(&b, pf_thread_by_number(e->block.thread));
    f->id = pf_fingerprint(f);
    return b.failed ? NULL : f;
}
