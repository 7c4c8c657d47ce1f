#include "missing_call.h"
#include "context.h"
#include "direct.h"
#include "entry.h"
#include "event.h"
#include "glob.h"
#include "limits.h"
#include "module.h"
#include "options.h"
#include "reach.h"
#include "rt.h"
#include "stack.h"
#include "tracer.h"

#define OPEN_MAX 128

/* A call that was not over when last looked at; or a function that is to be a region. */
struct open {
    const struct pf_frame *frame; /* of the caller; of the function itself */
    const struct pf_func *func;
    uint32_t call; /* site + 1 of the call */
    uint32_t id;
    bool region;
    uint64_t under_way; /* of reach.h */
};
static __thread struct open calls[OPEN_MAX] __attribute__((tls_model("initial-exec")));
__thread uint32_t pf_calls_open; /* so many of them */

static const struct pf_frame *top(void) { return __pf_tls.frame - 1; }

static bool is_over(const struct open *o)
{
    if (o->region)
        return top() < o->frame || o->frame->func != o->func;
    return top() <= o->frame || o->frame->func != o->func || pf_frame_site(o->frame) != o->call;
}

void pf_call_settle_open(void)
{
    while (pf_calls_open && is_over(&calls[pf_calls_open - 1])) {
        const struct open *o = &calls[--pf_calls_open];
        pf_nest();
        pf_reach_over(o->under_way);
        if (o->region)
            pf_trace_event(
                &(struct pf_traced){.kind = PF_EV_ENDREGION, .attached = true, .site = o->id});
        else
            pf_trace_over();
        pf_unnest();
    }
}

static void begin(uint64_t callee, uint32_t call, uint32_t id, uint32_t n, void *const *pointers,
                  const char *function)
{
    if (pf_options.reach[0] == 'n') /* none */
        return;
    pf_nest();
    if (pf_calls_open == OPEN_MAX) {
        pf_limit_hit(PF_LIMIT_CALLS);
    } else {
        struct pf_reach_set d =
            pf_reach_find((void *)callee, n, pointers, function, pf_trace_records(), pf_calls_open);
        pf_trace_call(id, callee, d.number);
        for (uint32_t i = 0; i < d.n; i++)
            pf_trace_range(d.at[i].addr, d.at[i].size);
        calls[pf_calls_open++] = (struct open){top(), top()->func, call, id, false, d.under_way};
    }
    pf_unnest();
}

void pf_event_call(void *callee, uint32_t site, uint32_t n, void *const *pointers)
{
    struct pf_thread *t = pf_self();
    if (__builtin_expect(!t, 0)) {
        pf_event_inside();
        return;
    }
    if (pf_direct.tracing)
        pf_call_settle();
    pf_event_due(&(struct pf_pending){.site = PF_PENDING_NOWHERE});
    if (pf_direct.tracing && !pf_func_begins(callee))
        begin((uintptr_t)callee, site + 1, pf_stack_id(t, site), n, pointers, NULL);
}

/* --- functions left out --- */

static const char *left_out, *regions;
#define FUNCS_MAX (1u << 20)
enum { KNOWN = 1, LEFT_OUT = 2, REGION = 4 };
static uint8_t verdicts[FUNCS_MAX]; /* by number; 0: not asked yet */

void pf_event_exclude(const char *out, const char *atomic)
{
    left_out = out;
    regions = atomic;
    pf_rt.excludes = *out || *atomic;
}

static bool matches_any(const char *globs, const char *text)
{
    const char *base = text;
    if (!text)
        return false;
    for (const char *p = text; *p; p++)
        if (*p == '/')
            base = p + 1;
    for (const char *g = globs, *end; *g; g = *end ? end + 1 : end) {
        for (end = g; *end && *end != ',';)
            end++;
        if (pf_glob_matches(g, end, text) || pf_glob_matches(g, end, base))
            return true;
    }
    return false;
}

/* The function is about to have the frame above the top: until that is gone, a region. */
static void begin_region(const struct pf_func *f)
{
    if (!pf_direct.tracing || !pf_self())
        return;
    pf_call_settle();
    pf_nest();
    if (pf_calls_open == OPEN_MAX) {
        pf_limit_hit(PF_LIMIT_CALLS);
    } else {
        uint32_t call = pf_frame_site(top()),
                 id = call ? pf_stack_id(__pf_tls.thread, call - 1) : 0;
        pf_trace_event(&(struct pf_traced){.kind = PF_EV_REGION, .attached = true, .site = id});
        calls[pf_calls_open++] = (struct open){__pf_tls.frame, f, call, id, true, 0};
    }
    pf_unnest();
}

uint32_t pf_event_body(struct pf_func *f)
{
    uint32_t n = pf_func_number(f);
    if (!n)
        return PF_BODY_EVENT;
    if (!verdicts[n]) {
        const char *name = pf_rel_str(&f->name);
        bool out = matches_any(left_out, name) || matches_any(left_out, pf_rel_str(&f->file));
        verdicts[n] = KNOWN | (out ? LEFT_OUT : matches_any(regions, name) ? REGION : 0);
    }
    if (verdicts[n] & REGION)
        begin_region(f);
    return verdicts[n] & LEFT_OUT ? PF_BODY_EXCLUDED : PF_BODY_EVENT;
}

/* Called by another function that is left out it is no call of its own. */
void __pf_event_excluded(void *record, uint32_t n, void *pointers)
{
    struct pf_thread *t = pf_self();
    struct pf_func *f = record;
    if (!t || top()->call & PF_CALL_UNWATCHED)
        return;
    if (pf_direct.tracing)
        pf_call_settle();
    if (--__pf_tls.budget < 0)
        pf_event_due(&(struct pf_pending){.site = PF_PENDING_NOWHERE});
    uint32_t call = pf_frame_site(top());
    if (pf_direct.tracing)
        begin((uintptr_t)&f->entry + (uintptr_t)(intptr_t)f->entry, call,
              call ? pf_stack_id(t, call - 1) : 0, n, pointers, pf_rel_str(&f->name) ?: "");
}
