/*
 * misuse_build.c - builds the findings of misuse.h.
 */
#include "finding_builder.h"
#include "fingerprint.h"
#include "lock_order.h"
#include "misuse.h"
#include "options.h"
#include "thread_table.h"

/* A stack of one frame. */
static struct pf_backtrace function_stack(struct pf_finding_builder *b, const struct pf_func *f)
{
    struct pf_stack_frame *at = pf_pool_get(b->pool, sizeof *at);
    if (!at) {
        b->failed = true;
        return (struct pf_backtrace){0};
    }
    *at = (struct pf_stack_frame){.function = pf_builder_text(b, pf_rel_str(&f->name)),
                                  .file = pf_builder_text(b, pf_rel_str(&f->file)),
                                  .line = f->line,
                                  .first_line = f->line};
    return (struct pf_backtrace){at, 1};
}

static void build_step(struct pf_finding_builder *b, struct pf_access *a,
                       const struct pf_misuse_step *s)
{
    *a = (struct pf_access){.thread = s->thread,
                            .op = s->op,
                            .size = s->size,
                            .address = s->addr,
                            .variable = s->addr ? pf_builder_name(b, s->addr) : NULL,
                            .stack = s->function ? function_stack(b, s->function)
                                                 : pf_builder_stack(b, s->id, NULL)};
    if (!s->held)
        return;
    struct pf_lock *held = pf_pool_get(b->pool, sizeof *held);
    if (!held) {
        b->failed = true;
        return;
    }
    *held = (struct pf_lock){.address = s->held,
                             .name = pf_builder_name(b, s->held),
                             .first = s->held_first,
                             .taken = pf_builder_stack(b, s->held_at, NULL)};
    a->locks = held;
    a->nlocks = 1;
}

struct pf_finding *pf_misuse_build(struct pf_pool *pool, const struct pf_misuse *m)
{
    struct pf_finding_builder b = pf_builder_for(pool);
    bool order = m->kind == PF_KIND_DEADLOCK;
    struct pf_finding *f =
        pf_builder_begin(&b, m->kind, order ? "lock-order" : "misuse", m->n, m->n + 2);
    if (!f)
        return NULL;
    if (order)
        f->status = PF_STATUS_PREDICTED;
    if (m->count)
        f->count = m->count;
    f->suspicious = m->suspicious;
    f->harm = m->harm;
    f->naccesses = m->n;
    if (m->object)
        pf_builder_location(&b, &f->location, m->object);
    for (size_t i = 0; i < m->n; i++) {
        build_step(&b, &f->accesses[i], &m->at[i]);
        pf_builder_add_thread(&b, pf_thread_by_number(m->at[i].thread));
    }
    if (m->subject)
        pf_builder_add_thread(&b, pf_thread_by_number(m->subject - 1));
    if (f->location.kind == PF_LOCATION_HEAP)
        pf_builder_add_thread(&b, pf_thread_by_number(f->location.thread));
    f->id = pf_fingerprint(f);
    return b.failed ? NULL : f;
}

void pf_lock_cycle_found(const struct pf_lock_cycle *cycle)
{
    _Static_assert(PF_LOCK_ORDER_LENGTH <= PF_MISUSE_STEPS, "every cycle fits");
    struct pf_misuse m = {
        .kind = PF_KIND_DEADLOCK,
        .suspicious = pf_options.given.detect_deadlocks
                          ? NULL
                          : "no run has shown the deadlock; pf check tries to, and "
                            "detect_deadlocks=1 counts it",
        .n = cycle->n,
    };
    for (size_t i = 0; i < cycle->n; i++) {
        const struct pf_lock_order_step *s = &cycle->at[i];
        m.at[i] = (struct pf_misuse_step){.thread = s->thread,
                                          .op = PF_OP_LOCK,
                                          .id = s->taken_at,
                                          .addr = s->lock,
                                          .held = s->held,
                                          .held_at = s->held_at,
                                          .held_first = s->held_first};
    }
    pf_misuse_found(&m);
}
