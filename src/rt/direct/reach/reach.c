/*
 * reach.c - see reach.h. Decides whether a call walks or uses a closure, and what is written to the
 * trace.
 */
#include "reach.h"
#include "closure_cache.h"
#include "hash_mix.h"
#include "mappings.h"
#include "options.h"
#include "pf_abi.h"
#include "reach_libs.h"
#include "reach_models.h"
#include "reach_variables.h"
#include "sys.h"

#define OBJECTS (1u << 17) /* that one walk may find */
/* limit of objects in a walk, once all walks together have read too many words */
#define OBJECTS_EXPENSIVE 4096u
#define EVENTS_PER_WORD 8u     /* walks may read one word for this many events of the trace */
#define WORDS_FREE (1u << 19)
#define WORDS_PER_CALL 64u     /* fixed cost of a call, in words */
#define WORDS_PER_OBJECT 32u
#define CACHE_MIN_WORDS 256u /* smaller walks are as cheap as using a closure */
#define SETS_KNOWN 4096u
#define OUT (2 * OBJECTS) /* maximum number of ranges of one set */
#define INSERTION_MAX 256u          /* up to this many are sorted by insertion */
#define GAP 32 /* ranges this close are joined: alignment between objects */

static struct pf_walk scratch;
static struct pf_mem_range *out; /* ranges to write to the trace; the second half is for sorting */
static uint64_t spent, last_number;

static bool option_is(char mode) { return pf_options.reach[0] == mode; }

/* --- numbers of sets --- */

/* Sets that were written to the trace, identified by two hashes of their contents. */
static struct emitted_set {
    uint64_t a, b, number;
} emitted_sets[SETS_KNOWN];

/* A hash of the first n ranges in `out`. */
static uint64_t content_of(uint32_t n)
{
    uint64_t a = n;
    for (uint32_t i = 0; i < n; i++)
        a = pf_hash_mix(pf_hash_mix(a, out[i].addr), out[i].size);
    return a;
}

/* The number of the set in `out`. *known: it was written to the trace before. */
static uint64_t number_of(uint32_t n, bool *known)
{
    uint64_t a = content_of(n), b = ~(uint64_t)n;
    for (uint32_t i = 0; i < n; i++)
        b = pf_hash_mix(pf_hash_mix(b, out[i].size + 0x7f4a7c15), out[i].addr);
    struct emitted_set *t = &emitted_sets[a % SETS_KNOWN];
    *known = t->number && t->a == a && t->b == b;
    if (!*known)
        *t = (struct emitted_set){a, b, ++last_number};
    return t->number;
}

/* --- what is written to the trace --- */

static uint32_t put(uint32_t n, struct pf_mem_range o)
{
    if (o.size)
        out[n++] = o;
    return n;
}

/* Sorts by address: few ranges by insertion, many by radix sort with 12-bit digits. */
static void sort(struct pf_mem_range *a, uint32_t n)
{
    static uint32_t start[1 << 12];
    for (uint32_t i = 1, k; i < n && n <= INSERTION_MAX; i++) {
        struct pf_mem_range o = a[i];
        for (k = i; k && a[k - 1].addr > o.addr; k--)
            a[k] = a[k - 1];
        a[k] = o;
    }
    struct pf_mem_range *from = a, *to = a + OUT;
    for (unsigned shift = 0; shift < 48 && n > INSERTION_MAX; shift += 12) {
        pf_zero(start, sizeof start);
        for (uint32_t i = 0; i < n; i++)
            start[from[i].addr >> shift & 4095]++;
        for (uint32_t d = 0, before = 0; d < 4096; d++) {
            uint32_t here = start[d];
            start[d] = before;
            before += here;
        }
        for (uint32_t i = 0; i < n; i++)
            to[start[from[i].addr >> shift & 4095]++] = from[i];
        struct pf_mem_range *swap = from;
        from = to;
        to = swap;
    }
}

/* Sorts the ranges in `out` and joins neighbours. Returns how many are left. */
static uint32_t tidy(uint32_t have)
{
    struct pf_mem_range *a = out;
    sort(a, have);
    uint32_t n = 0;
    for (uint32_t i = 0; i < have; i++) {
        uint64_t end = a[i].addr + a[i].size;
        if (n && a[i].addr <= a[n - 1].addr + a[n - 1].size + GAP) {
            if (end > a[n - 1].addr + a[n - 1].size)
                a[n - 1].size = end - a[n - 1].addr;
        } else {
            a[n++] = a[i];
        }
    }
    return n;
}

static uint32_t emit_walk(const struct pf_walk *w)
{
    uint32_t n = 0;
    if (w->everything)
        return put(0, (struct pf_mem_range){0, 1ull << 47});
    for (uint32_t i = 0; i < w->n; i++)
        n = put(n, w->at[i]);
    for (uint32_t i = 0; i < w->npieces; i++)
        n = put(n, w->piece[i]);
    return tidy(n);
}

/* Adds a piece of a stack. When many pieces were emitted, it is extended to the end of the stack,
 * so that no more will follow. */
static uint32_t emit_piece(struct pf_closure *k, uint32_t n, struct pf_mem_range o)
{
    if (pf_ranges_contain(k->emitted_piece, k->nemitted_pieces, o))
        return n;
    if (k->nemitted_pieces >= PF_CLOSURE_PIECES / 2 && pf_walk_stack_end(o.addr))
        o.size = pf_walk_stack_end(o.addr) - o.addr;
    if (k->nemitted_pieces < PF_CLOSURE_PIECES)
        k->emitted_piece[k->nemitted_pieces++] = o;
    return put(n, o);
}

/* Stores in `out` what was added to the closure since the last time. */
static uint32_t emit_closure(struct pf_closure *k)
{
    uint32_t n = 0;
    for (; k->emitted < k->w.n; k->emitted++)
        n = put(n, k->w.at[k->emitted]);
    for (uint32_t i = 0; i < k->w.npieces; i++)
        n = emit_piece(k, n, k->w.piece[i]);
    return n ? tidy(n) : 0;
}

/* --- walks --- */

static void add_variable(const struct pf_mem_range *v, void *walk)
{
    struct pf_mem_range o;
    struct pf_walk *w = walk;
    w->everything |= v->size == 1ull << 47;
    if (pf_walk_find_object(v->addr, &o) && o.addr + o.size >= v->addr + v->size) {
        pf_walk_add(w, o);
    } else {
        w->irregular = true;
        pf_walk_add(w, *v);
    }
}

static void add_named(struct pf_walk *w, const void *callee, const char *function)
{
    const struct pf_mapping *file = pf_mapping_find((uintptr_t)callee);
    pf_variable_each_named(function             ? function
                           : file && file->file ? file->name
                                                : "",
                           add_variable, w);
}

static void add_own_data(struct pf_walk *w, const void *callee)
{
    const struct pf_mapping *file = pf_mapping_find((uintptr_t)callee);
    struct pf_mem_range own;
    if (file && file->file && pf_library_own_data((uintptr_t)callee, file->name, &own) &&
        !pf_variable_library_has_none(file->name))
        pf_walk_add(w, own);
}

/* Walks from the arguments of a call, into `scratch`. k: the closure that the result will be
 * compared with, or NULL. */
static void walk(const void *callee, uint32_t n, void *const *words, const char *function, bool all,
                 const struct pf_closure *k)
{
    struct pf_walk *w = &scratch;
    pf_walk_begin(w);
    w->everything |= n == PF_REACH_ALL;
    add_named(w, callee, function);
    struct pf_mem_range kernel;
    if (!function && pf_library_is_syscall(callee, &kernel))
        pf_walk_add(w, kernel);
    if (!function)
        add_own_data(w, callee);
    if (all)
        pf_variable_each(add_variable, w);
    if (n != PF_REACH_ALL)
        pf_walk_add_word_bounds(w, n, words);
    /* a variable whose bounds an earlier call passed */
    for (uint32_t i = 0; k && i < k->npieces; i++)
        if (k->piece[i].addr + k->piece[i].size < pf_walk_stack_end(k->piece[i].addr))
            pf_walk_add_bounds(w, k->piece[i]);
    for (uint32_t i = 0; i < n && !w->everything; i++)
        pf_walk_follow(w, (uintptr_t)words[i], true);
    pf_walk_scan(w);
}

/* Adds to a closure what this call reaches. `before`: objects that it had. False: it is not valid
 * any more. */
static bool use(struct pf_closure *k, uint32_t before, const void *callee, uint32_t n,
                void *const *words, const char *function, bool all)
{
    pf_closure_refresh(k, n, words);
    add_named(&k->w, callee, function);
    if (all && k->variables != pf_variable_epoch()) {
        pf_variable_each(add_variable, &k->w);
        k->variables = pf_variable_epoch();
    }
    pf_walk_scan(&k->w);
    pf_closure_add_callee(k, callee);
    spent += k->w.words_read + WORDS_PER_CALL;
    k->cost += k->w.words_read;
    return pf_closure_commit(k, before);
}

/* Option `reach=check`: ends the process if the closure lacks something that the walk found. */
static void check(const struct pf_closure *k)
{
    static const char text[] = "pf: reach=check: a cached reachable set is incomplete\n";
    bool good = !scratch.everything && !scratch.irregular;
    for (uint32_t i = 0; i < scratch.n && good; i++)
        good = !scratch.at[i].size || pf_walk_has(&k->w, &scratch.at[i]);
    for (uint32_t i = 0; i < scratch.npieces && good; i++) {
        struct pf_mem_range first = {scratch.piece[i].addr, 1};
        good = pf_ranges_contain(k->w.piece, k->w.npieces, first);
    }
    if (!good) {
        pf_sys_write(2, text, sizeof text - 1);
        pf_sys(SYS_exit_group, 70);
    }
}

/* --- functions whose accesses are known --- */

#define KNOWN_CALLS 64u /* open at the same time */
#define KNOWN_CALL (1ull << 63) /* in a token, with the index in known_call */

/* What the open calls of such functions access: these ranges may have got other pointers since the
 * calls began. */
static struct {
    struct pf_mem_range at[PF_MODEL_RANGES];
    uint32_t n; /* 0: entry is free */
} known_call[KNOWN_CALLS];
static uint32_t known_calls; /* open calls of such functions */

/* Stores in `out` what the callee accesses; 0: not such a function. */
static uint32_t known_accesses(const void *callee, uint32_t n, void *const *words)
{
    if (n == 1 && (out[0].size = pf_library_bytes_accessed(callee))) {
        out[0].addr = (uintptr_t)words[0] & ((1ull << PF_WORD_SIZE_SHIFT) - 1);
        return 1;
    }
    if (n == PF_REACH_ALL)
        return 0;
    pf_walk_begin(&scratch);
    return pf_reach_model_accesses(callee, n, words, out);
}

/* Begins a call that accesses the n ranges in `out`. Returns its token. */
static uint64_t begin_known(uint32_t n)
{
    known_calls++;
    for (uint64_t i = 0; i < KNOWN_CALLS; i++)
        if (!known_call[i].n) {
            pf_copy(known_call[i].at, out, n * sizeof *out);
            known_call[i].n = n;
            return KNOWN_CALL | i;
        }
    return KNOWN_CALL | KNOWN_CALLS; /* table full */
}

static void note_known(uint64_t index)
{
    for (uint32_t i = 0; pf_closure_any && i < known_call[index].n; i++)
        pf_closure_on_write(known_call[index].at[i].addr, known_call[index].at[i].size, NULL);
}

static void end_known(uint64_t index)
{
    known_calls--;
    if (index == KNOWN_CALLS) {
        pf_closure_drop_all();
    } else {
        note_known(index);
        known_call[index].n = 0;
    }
}

static bool begin(void)
{
    if (!out) {
        out = pf_sys_map(NULL, 2ull * OUT * sizeof *out);
        if (!pf_walk_init(&scratch, OBJECTS))
            out = NULL;
    }
    return out;
}

struct pf_reach_set pf_reach_begin(const void *callee, uint32_t n, void *const *words,
                                   const char *function, uint64_t events, uint32_t outer)
{
    static const struct pf_mem_range everything = {0, 1ull << 47};
    bool all = function && !*pf_options.globals, known, full = option_is('f'),
         check_mode = option_is('c');
    uint64_t most = check_mode ? 0 : events / EVENTS_PER_WORD + WORDS_FREE;
    pf_walk_set_running_sp((uintptr_t)__builtin_frame_address(0));
    if (!begin())
        return (struct pf_reach_set){.at = &everything, .n = 1};
    uint32_t accessed = function ? 0 : tidy(known_accesses(callee, n, words));
    if (accessed) {
        uint64_t token = begin_known(accessed);
        uint64_t number = number_of(accessed, &known);
        return (struct pf_reach_set){out, known ? 0 : accessed, number, token, PF_REACH_FIXED};
    }
    bool has_data = !function && pf_library_has_own_pointers((uintptr_t)callee);
    struct pf_closure *k = NULL;
    for (uint64_t i = 0; known_calls && i < KNOWN_CALLS; i++)
        note_known(i);
    if (pf_closure_any && !full && !has_data && n != PF_REACH_ALL) {
        k = pf_walk_refresh() ? pf_closure_find(n, words, all) : NULL;
    }
    uint32_t before = k ? k->w.n : 0;
    if (k && spent + k->cost > most && pf_closure_still_closed(k, callee, n, words, all)) {
        if (check_mode) {
            walk(callee, n, words, function, all, k);
            check(k);
        }
        uint32_t more = k->emitted < k->w.n ? emit_closure(k) : 0;
        spent += more * WORDS_PER_OBJECT + WORDS_PER_CALL;
        return (struct pf_reach_set){out, more, k->number, pf_closure_call_begin(k),
                                     PF_REACH_CLOSURE};
    }
    if (k && spent + k->cost > most && use(k, before, callee, n, words, function, all)) {
        if (check_mode) {
            walk(callee, n, words, function, all, k);
            check(k);
        }
        uint32_t more = emit_closure(k);
        spent += more * WORDS_PER_OBJECT;
        return (struct pf_reach_set){out, more, k->number, pf_closure_call_begin(k),
                                     PF_REACH_CLOSURE};
    }
    static bool failed; /* the last attempt to create a closure failed */
    bool may_cache = !full && !has_data && !outer && pf_closure_can_create();
    scratch.most =
        spent > 4 * most && (!may_cache || failed) && !check_mode ? OBJECTS_EXPENSIVE : OBJECTS;
    walk(callee, n, words, function, all, NULL);
    uint32_t m = emit_walk(&scratch);
    spent += scratch.words_read + scratch.n * WORDS_PER_OBJECT + WORDS_PER_CALL;
    if (!pf_closure_join_call(&scratch, has_data, outer) && may_cache && spent > most &&
        (scratch.words_read > CACHE_MIN_WORDS || check_mode)) {
        /* a new number, because the set will grow */
        k = pf_closure_create(&scratch, all, last_number + 1);
        failed = !k;
        if (k)
            pf_closure_add_callee(k, callee);
        if (k)
            return (struct pf_reach_set){out, m, ++last_number, pf_closure_call_begin(k),
                                         PF_REACH_CLOSURE};
    }
    uint64_t number = number_of(m, &known);
    return (struct pf_reach_set){out, known ? 0 : m, number, pf_closure_call_begin(NULL),
                                 scratch.everything ? PF_REACH_FIXED : content_of(m)};
}

struct pf_reach_set pf_reach_again(const struct pf_reach_set *begun, const void *callee, uint32_t n,
                                   void *const *words, const char *function)
{
    bool all = function && !*pf_options.globals;
    struct pf_reach_set now = {.at = out, .number = begun->number};
    pf_walk_set_running_sp((uintptr_t)__builtin_frame_address(0));
    if (begun->content == PF_REACH_FIXED || !out)
        return now;
    if (begun->content == PF_REACH_CLOSURE) {
        struct pf_closure *k =
            pf_closure_any && pf_walk_refresh() ? pf_closure_find(n, words, all) : NULL;
        if (k && k->number == begun->number &&
            (pf_closure_still_closed(k, callee, n, words, all) ||
             use(k, k->w.n, callee, n, words, function, all)))
            now.n = k->emitted < k->w.n ? emit_closure(k) : 0;
        return now;
    }
    scratch.most = OBJECTS;
    walk(callee, n, words, function, all, NULL);
    uint32_t m = emit_walk(&scratch);
    spent += scratch.words_read + scratch.n * WORDS_PER_OBJECT;
    now.n = content_of(m) == begun->content ? 0 : m;
    return now;
}

void pf_reach_end(uint64_t token)
{
    if (token & KNOWN_CALL)
        end_known(token & ~KNOWN_CALL);
    else if (token)
        pf_closure_call_end(token);
}
