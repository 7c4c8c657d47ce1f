/* missing_call.c - see missing_call.h. Also decides which functions are left out, and which are
 * regions. */
#include "missing_call.h"
#include "context.h"
#include "direct.h"
#include "entry.h"
#include "event.h"
#include "glob.h"
#include "limits.h"
#include "memory_model.h"
#include "module.h"
#include "options.h"
#include "pc_frame.h"
#include "reach.h"
#include "reach_models.h"
#include "rt.h"
#include "stack.h"
#include "sys.h"
#include "tracer.h"

#define NESTED_MAX 128 /* calls; the innermost one represents all deeper calls */
#define SAVED_CALLS 256u /* open calls of all threads whose arguments are kept */
#define SAVED_WORDS 16u /* of one call */
#define NOT_NEEDED UINT32_MAX
#define CALLEES 1024u /* functions of the C++ library whose names were written */
#define CALLEE_TRIES 64u /* entries of that table that are tried */

/* A call that had not returned at the last check, or an activation of a function that is a
 * region. */
struct open_call {
    const struct pf_frame *frame; /* of the caller; for a region, of the function itself */
    const struct pf_func *func;
    uint32_t call; /* site of the call, plus 1 */
    uint32_t id;
    /* in saved_calls, plus 1; 0: it could not be saved; NOT_NEEDED: its set does not change */
    uint32_t saved;
    bool region;
    uint64_t token; /* from pf_reach_begin */
    uint64_t begun; /* records in the trace when it began */
    const struct pf_frame *callback; /* the first frame of its running callback, NULL: none runs */
    uint64_t records; /* in the trace, when the begin of the callback was recorded */
};
static __thread struct open_call calls[NESTED_MAX] __attribute__((tls_model("initial-exec")));
__thread uint32_t pf_missing_calls_open; /* number of entries in `calls` */

/* The arguments of open calls of all threads, for pf_reach_again. */
static struct {
    const void *callee; /* NULL: the entry is free */
    const char *function;
    struct pf_reach_set set;
    uint32_t n;
    void *words[SAVED_WORDS];
} saved_calls[SAVED_CALLS];

static uint32_t save_call(const void *callee, uint32_t n, void *const *words, const char *function,
                          const struct pf_reach_set *set)
{
    if (set->content == PF_REACH_FIXED)
        return NOT_NEEDED;
    for (uint32_t i = 0; i < SAVED_CALLS && n <= SAVED_WORDS; i++)
        if (!saved_calls[i].callee) {
            saved_calls[i].callee = callee;
            saved_calls[i].function = function;
            saved_calls[i].set = *set;
            saved_calls[i].n = n;
            pf_copy(saved_calls[i].words, words, n * sizeof *words);
            return i + 1;
        }
    return 0;
}

/* The call is over. If events were recorded while it was open, adds what it reached only later to
 * its set. */
static void reach_again(const struct open_call *o)
{
    static const struct pf_mem_range everything = {0, 1ull << 47};
    struct pf_reach_set more = {.at = &everything, .n = 1};
    bool alone = o->begun == pf_trace_records();
    if (o->saved == NOT_NEEDED)
        return;
    if (o->saved) {
        uint32_t i = o->saved - 1;
        if (!alone)
            more = pf_reach_again(&saved_calls[i].set, saved_calls[i].callee, saved_calls[i].n,
                                  saved_calls[i].words, saved_calls[i].function);
        saved_calls[i].callee = NULL;
    }
    for (uint32_t i = 0; !alone && i < more.n; i++)
        pf_trace_range(more.at[i].addr, more.at[i].size);
}

static const struct pf_frame *top(void) { return __pf_tls.frame - 1; }

/* A function with a symbolic body on demand has two records. */
static bool is_same(const struct pf_func *a, const struct pf_func *b)
{
    return a == b || (a && b && pf_func_entry(a) == pf_func_entry(b));
}

static bool is_over(const struct open_call *o)
{
    if (o->region)
        return top() < o->frame || !is_same(o->frame->func, o->func);
    return top() <= o->frame || o->frame->func != o->func || pf_frame_site(o->frame) != o->call;
}

/* The first frame of a callback that the call has made: of a function that does have events. NULL:
 * none is running; code of the call itself has called the runtime. */
static const struct pf_frame *callback_of(const struct open_call *o)
{
    for (const struct pf_frame *f = o->frame + 1; f <= top(); f++)
        if (!(f->call & PF_CALL_UNWATCHED) && f->func->entry)
            return f;
    return NULL;
}

/* Records that a callback of the innermost call has begun, or that it has ended. A frame without a
 * node was pushed after the last record: a new activation of the function. */
static void note_callback(void)
{
    uint32_t k = pf_missing_calls_open;
    while (k && calls[k - 1].region)
        k--;
    if (!k)
        return;
    struct open_call *o = &calls[k - 1];
    const struct pf_frame *f = callback_of(o);
    if (f == o->callback && (!f || f->node || o->records == pf_trace_records()))
        return;
    o->callback = f;
    pf_nest();
    pf_trace_callback(f);
    o->records = pf_trace_records();
    pf_unnest();
}

void pf_missing_call_close_slow(void)
{
    while (pf_missing_calls_open && is_over(&calls[pf_missing_calls_open - 1])) {
        const struct open_call *o = &calls[--pf_missing_calls_open];
        pf_nest();
        if (!o->region)
            reach_again(o);
        pf_reach_end(o->token);
        if (o->region)
            pf_trace_event(&(struct pf_trace_record){
                .kind = PF_EV_ENDREGION, .attached = true, .site = o->id});
        else
            pf_trace_return();
        pf_unnest();
    }
    note_callback();
}

bool pf_missing_call_runs(uint32_t *id)
{
    if (!pf_missing_calls_open)
        return false;
    const struct open_call *o = &calls[pf_missing_calls_open - 1];
    *id = o->id;
    return !o->region && o->frame == top() && o->frame->func == o->func &&
           pf_frame_site(o->frame) == o->call;
}

/* True if the call site says which function it calls. */
static bool is_named(uint32_t site)
{
    const struct pf_func *f = top()->func;
    if (pf_rt.pc_frames && pf_pc_is_record(f))
        return true; /* not known */
    const char *name = site < f->nsites ? pf_rel_str(&pf_func_site(f, site)->var) : NULL;
    return name && *name;
}

/* Writes the symbol of the function, if it belongs to the C++ library, before its first call. */
static void name_callee(const void *callee)
{
    static const void *named[CALLEES]; /* open-addressed hash table */
    uint32_t i = (uint32_t)((uintptr_t)callee * 0x9e3779b97f4a7c15u >> 40) % CALLEES, tries = 0;
    for (; named[i] && named[i] != callee && tries < CALLEE_TRIES; tries++)
        i = (i + 1) % CALLEES;
    if (named[i]) /* it was written, or the table is full: it stays unnamed */
        return;
    named[i] = callee;
    const char *symbol = pf_reach_model_symbol(callee);
    if (symbol)
        pf_trace_name_callee(callee, symbol);
}

static void begin(uint64_t callee, uint32_t call, uint32_t id, uint32_t n, void *const *pointers,
                  const char *function)
{
    if (pf_options.reach[0] == 'n') /* option reach=none */
        return;
    bool everything = pf_missing_calls_open == NESTED_MAX - 1;
    pf_nest();
    if (pf_missing_calls_open < NESTED_MAX) { /* else the last entry represents this call */
        n = everything ? PF_REACH_ALL : n;
        struct pf_reach_set d = pf_reach_begin((void *)callee, n, pointers, function,
                                               pf_trace_records(), pf_missing_calls_open);
        if (!function && !is_named(call - 1))
            name_callee((void *)callee);
        pf_trace_call(id, callee, d.number);
        for (uint32_t i = 0; i < d.n; i++)
            pf_trace_range(d.at[i].addr, d.at[i].size);
        calls[pf_missing_calls_open++] =
            (struct open_call){.frame = top(),
                               .func = top()->func,
                               .call = call,
                               .id = id,
                               .saved = save_call((void *)callee, n, pointers, function, &d),
                               .token = d.token,
                               .begun = pf_trace_records()};
    }
    pf_unnest();
}

/* --- switches of fibers --- */

/* a call that is made within as many bytes of the stack is made from the same stack */
#define NEAR 4096u
/* where on the program's stack a switch was announced; 0: none, or it has happened */
static __thread uintptr_t announced __attribute__((tls_model("initial-exec")));

void pf_missing_call_switches(void) { announced = (uintptr_t)__builtin_frame_address(0); }

/* Is the call the announced switch? If inline assembly has switched, this is another call, on
 * another stack. */
static bool is_switch(void)
{
    uintptr_t at = announced, here = (uintptr_t)__builtin_frame_address(0);
    announced = 0;
    return at && here - at + NEAR < 2 * NEAR;
}

void pf_missing_call_begin(void *callee, uint32_t site, uint32_t n, void *const *pointers)
{
    struct pf_thread *t = pf_self();
    if (__builtin_expect(!t, 0)) {
        pf_event_nested();
        return;
    }
    if (pf_direct.tracing)
        pf_missing_call_close();
    pf_event_budget_used(&(struct pf_pending_event){.site = PF_PENDING_NO_SITE});
    if (pf_memory_model_active() && !pf_func_begins_at(callee))
        pf_memory_model_leave(site + 1);
    if (pf_direct.tracing && !pf_func_begins_at(callee) && !is_switch())
        begin((uintptr_t)callee, site + 1, pf_stack_id(t, site), n, pointers, NULL);
}

/* --- functions that are left out --- */

static const char *left_out, *regions;
enum { DECIDED = 1, LEFT_OUT = 2, REGION = 4 };
static uint8_t decisions[PF_FUNCS_MAX]; /* by function number; 0: not decided yet */

void pf_missing_call_configure(const char *out, const char *atomic)
{
    left_out = out;
    regions = atomic;
    pf_rt.excludes_functions = *out || *atomic;
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

/* The function is about to push its frame above the top. The region lasts until that frame is
 * gone. */
static void begin_region(const struct pf_func *f)
{
    if (!pf_direct.tracing || !pf_self())
        return;
    pf_missing_call_close();
    pf_nest();
    if (pf_missing_calls_open >= NESTED_MAX - 1) { /* the last entry is for a call */
        pf_limit_hit(PF_LIMIT_REGIONS);
    } else {
        uint32_t call = pf_frame_site(top()),
                 id = call ? pf_stack_id(__pf_tls.thread, call - 1) : 0;
        pf_trace_event(
            &(struct pf_trace_record){.kind = PF_EV_REGION, .attached = true, .site = id});
        calls[pf_missing_calls_open++] = (struct open_call){
            .frame = __pf_tls.frame, .func = f, .call = call, .id = id, .region = true};
    }
    pf_unnest();
}

uint32_t pf_missing_call_choose_body(struct pf_func *f)
{
    uint32_t n = pf_func_number(f);
    uint32_t body =
        pf_rt.symbolic && f->flags & PF_FUNCF_SYMBOLIC ? PF_BODY_SYMBOLIC : PF_BODY_EVENT;
    if (!n)
        return body;
    if (!decisions[n]) {
        const char *name = pf_rel_str(&f->name);
        bool out = matches_any(left_out, name) || matches_any(left_out, pf_rel_str(&f->file));
        decisions[n] = DECIDED | (out ? LEFT_OUT : matches_any(regions, name) ? REGION : 0);
    }
    if (decisions[n] & REGION)
        begin_region(f);
    return decisions[n] & LEFT_OUT ? PF_BODY_EXCLUDED : body;
}

/* A function that is left out begins. If another function that is left out called it, it is part of
 * that call. */
void __pf_event_excluded(void *record, uint32_t n, void *pointers)
{
    struct pf_thread *t = pf_self();
    struct pf_func *f = record;
    if (!t || top()->call & PF_CALL_UNWATCHED)
        return;
    if (pf_direct.tracing)
        pf_missing_call_close();
    if (--__pf_tls.budget < 0)
        pf_event_budget_used(&(struct pf_pending_event){.site = PF_PENDING_NO_SITE});
    uint32_t call = pf_frame_site(top());
    if (pf_memory_model_active())
        pf_memory_model_leave(call);
    if (pf_direct.tracing)
        begin(pf_func_entry(f), call, call ? pf_stack_id(t, call - 1) : 0, n, pointers,
              pf_rel_str(&f->name) ?: "");
}
