/* narrative.c - see narrative.h. */
#include "narrative.h"
#include <string.h>

static void add_step(struct pf_narrative *s, const struct pf_narrative_step *step)
{
    s->at[s->n++] = *step;
}

/* Adds the creations of the threads involved, in the order of their numbers, which is the order
 * in which they were created. */
static void add_creations(struct pf_narrative *s, const struct pf_finding *f)
{
    uint32_t last = 0;
    for (;;) {
        const struct pf_thread_info *next = NULL;
        for (size_t i = 0; i < f->nthreads; i++)
            if (f->threads[i].number > last && (!next || f->threads[i].number < next->number))
                next = &f->threads[i];
        if (!next)
            return;
        last = next->number;
        struct pf_narrative_step step = {.kind = PF_NARRATIVE_CREATE,
                                         .thread = next->parent,
                                         .other = next->number,
                                         .stack = &next->created};
        add_step(s, &step);
    }
}

/* True if the thread has already taken the lock in this narrative: accesses of one thread may
 * share a lock. */
static bool is_taken(const struct pf_narrative *s, uint32_t thread, const struct pf_lock *l)
{
    for (size_t i = 0; i < s->n; i++)
        if (s->at[i].kind == PF_NARRATIVE_LOCK && s->at[i].thread == thread &&
            s->at[i].lock->address == l->address)
            return true;
    return false;
}

static void add_access(struct pf_narrative *s, const struct pf_access *a, size_t number)
{
    for (size_t i = 0; i < a->nlocks; i++) {
        if (is_taken(s, a->thread, &a->locks[i]))
            continue;
        struct pf_narrative_step step = {.kind = PF_NARRATIVE_LOCK,
                                         .thread = a->thread,
                                         .lock = &a->locks[i],
                                         .access = a,
                                         .number = number,
                                         .stack = &a->locks[i].taken};
        add_step(s, &step);
    }
    struct pf_narrative_step step = {.kind = PF_NARRATIVE_ACCESS,
                                     .thread = a->thread,
                                     .access = a,
                                     .number = number,
                                     .stack = &a->stack};
    add_step(s, &step);
}

struct pf_narrative pf_narrative_of(const struct pf_finding *f, bool swapped, struct pf_pool *pool)
{
    size_t room = f->nthreads;
    for (size_t i = 0; i < f->naccesses; i++)
        room += f->accesses[i].nlocks + 1;
    struct pf_narrative s = {pf_pool_get(pool, room * sizeof *s.at), 0};
    add_creations(&s, f);
    bool backwards = pf_finding_is_pair(f) && !swapped; /* accesses[0] of a pair is the later one */
    for (size_t k = 0; k < f->naccesses; k++) {
        size_t i = backwards ? f->naccesses - 1 - k : k;
        add_access(&s, &f->accesses[i], i);
    }
    return s;
}

void pf_thread_text(struct pf_text *t, const struct pf_finding *f, uint32_t number)
{
    const struct pf_thread_info *a = pf_finding_thread(f, number);
    if (number == 0) {
        pf_text_add(t, "the main thread");
        return;
    }
    pf_text_add(t, "thread T");
    pf_text_u64(t, number);
    if (a && a->name) {
        pf_text_add(t, " '");
        pf_text_name(t, a->name);
        pf_text_char(t, '\'');
    }
}

static const char *verb_of(enum pf_op op)
{
    static const char *const verbs[] = {
        [PF_OP_READ] = "reads",
        [PF_OP_WRITE] = "writes",
        [PF_OP_ATOMIC_READ] = "atomically reads",
        [PF_OP_ATOMIC_WRITE] = "atomically writes",
        [PF_OP_LOCK] = "locks",
        [PF_OP_FREE] = "frees",
        [PF_OP_ALLOC] = "allocates",
        [PF_OP_FAIL] = "fails",
        [PF_OP_WAIT] = "waits",
        [PF_OP_UNLOCK] = "unlocks",
        [PF_OP_DESTROY] = "destroys",
        [PF_OP_CREATE] = "starts the thread",
        [PF_OP_END] = "ends",
        [PF_OP_CALL] = "makes the call",
    };
    _Static_assert(sizeof verbs / sizeof *verbs == PF_OPS, "every operation has a verb");
    return verbs[op];
}

/* Operations on a lock. */
static bool is_on_lock(enum pf_op op)
{
    return op == PF_OP_LOCK || op == PF_OP_UNLOCK || op == PF_OP_DESTROY;
}

/* Operations without an object. */
static bool has_no_object(enum pf_op op)
{
    return op == PF_OP_FAIL || op == PF_OP_WAIT || op == PF_OP_CREATE || op == PF_OP_END ||
           op == PF_OP_CALL;
}

static void add_bytes(struct pf_text *t, uint64_t n)
{
    pf_text_u64(t, n);
    pf_text_add(t, n == 1 ? " byte" : " bytes");
}

void pf_memory_text(struct pf_text *t, const struct pf_finding *f)
{
    const struct pf_location *l = &f->location;
    const char *name = NULL;
    for (size_t i = 0; i < f->naccesses && !name; i++)
        name = f->accesses[i].variable;
    if (l->kind == PF_LOCATION_GLOBAL && l->name) {
        pf_text_add(t, "the global variable '");
        pf_text_name(t, l->name);
        pf_text_char(t, '\'');
    } else if (l->kind == PF_LOCATION_HEAP) {
        pf_text_add(t, "a heap block of ");
        add_bytes(t, l->size);
        if (name) {
            pf_text_add(t, " (as '");
            pf_text_name(t, name);
            pf_text_add(t, "')");
        }
    } else if (l->kind == PF_LOCATION_DESCRIPTOR) {
        pf_text_add(t, "the file descriptor ");
        pf_text_u64(t, l->address);
    } else if (name) {
        pf_text_char(t, '\'');
        pf_text_name(t, name);
        pf_text_char(t, '\'');
    } else {
        pf_text_add(t, l->kind == PF_LOCATION_STACK ? "a variable on a stack"
                       : l->kind == PF_LOCATION_TLS ? "a thread-local variable"
                                                    : "memory");
    }
}

static void add_lock(struct pf_text *t, const struct pf_finding *f, const struct pf_lock *l)
{
    pf_text_char(t, 'M');
    pf_text_u64(t, pf_finding_lock_number(f, l->address));
    if (l->name) {
        pf_text_add(t, " '");
        pf_text_name(t, l->name);
        pf_text_char(t, '\'');
    }
}

/* True if the accesses of such findings list the locks that were held. In the others, an empty list
 * means nothing. */
static bool records_locks(enum pf_kind k)
{
    return pf_kind_is_race(k) || k == PF_KIND_ATOMICITY || k == PF_KIND_ATOMIC_SET ||
           k == PF_KIND_DEADLOCK;
}

void pf_narrative_step_text(struct pf_text *t, const struct pf_finding *f,
                            const struct pf_narrative_step *s)
{
    switch (s->kind) {
    case PF_NARRATIVE_CREATE:
        pf_text_add(t, "starts ");
        pf_thread_text(t, f, s->other);
        break;
    case PF_NARRATIVE_LOCK:
        pf_text_add(t, s->lock->first ? "holds " : "takes ");
        add_lock(t, f, s->lock);
        pf_text_add(t, s->lock->shared ? " for reading" : "");
        pf_text_add(t, s->lock->first ? ", first taken" : ""); /* the position follows */
        break;
    case PF_NARRATIVE_ACCESS:
        pf_text_add(t, verb_of(s->access->op));
        if (has_no_object(s->access->op))
            break;
        pf_text_char(t, ' ');
        if (s->access->op == PF_OP_FREE)
            pf_text_add(t, "the block");
        else if (is_on_lock(s->access->op))
            pf_text_add(t, "a mutex");
        else
            add_bytes(t, s->access->size);
        if (s->access->variable) {
            pf_text_add(t, is_on_lock(s->access->op) ? ", '" : " of '");
            pf_text_name(t, s->access->variable);
            pf_text_char(t, '\'');
        }
        if (s->access->nlocks == 0 && records_locks(f->kind))
            pf_text_add(t, ", holding no lock");
        break;
    }
}

static void add_position(struct pf_text *t, const struct pf_access *a)
{
    const struct pf_stack_frame *p = pf_backtrace_source(&a->stack);
    pf_text_name(t, p && p->function ? p->function : "an unknown function");
    if (p && p->file) {
        pf_text_add(t, " (");
        pf_text_name(t, pf_str_base(p->file));
        pf_text_char(t, ':');
        pf_text_u64(t, p->line);
        pf_text_char(t, ')');
    }
}

static int compare_text(const char *a, const char *b) { return strcmp(a ? a : "", b ? b : ""); }

/* True if b comes before a by source position, whichever happened first. */
static bool is_swapped(const struct pf_access *a, const struct pf_access *b)
{
    const struct pf_stack_frame nowhere = {0};
    const struct pf_stack_frame *p = pf_backtrace_source(&a->stack),
                                *q = pf_backtrace_source(&b->stack);
    p = p ? p : &nowhere;
    q = q ? q : &nowhere;
    int order = compare_text(p->file, q->file);
    if (!order)
        order = (p->line > q->line) - (p->line < q->line);
    if (!order)
        order = (p->column > q->column) - (p->column < q->column);
    if (!order)
        order = compare_text(p->function, q->function);
    if (!order)
        order = (int)b->op - (int)a->op; /* a write before a read */
    return order > 0;
}

size_t pf_finding_first(const struct pf_finding *f)
{
    return pf_finding_is_pair(f) ? is_swapped(&f->accesses[0], &f->accesses[1])
                                 : f->naccesses == 2 && pf_kind_is_memory_error(f->kind);
}

/* False for deadlocks and failures. */
static bool concerns_memory(const struct pf_finding *f)
{
    return f->kind != PF_KIND_DEADLOCK && !pf_kind_is_failure(f->kind);
}

void pf_finding_title(struct pf_text *t, const struct pf_finding *f)
{
    pf_text_add(t, pf_kind_title(f->kind));
    if (f->child) {
        pf_text_add(t, " in child ");
        pf_text_name(t, f->child);
    }
    if (concerns_memory(f)) {
        pf_text_add(t, " on ");
        pf_memory_text(t, f);
    }
    if (!pf_finding_is_pair(f)) {
        for (size_t i = 0; i < f->naccesses; i++) {
            pf_text_add(t, i ? ", " : ": ");
            add_position(t, &f->accesses[i]);
        }
        return;
    }
    pf_text_add(t, " between ");
    size_t one = pf_finding_first(f);
    add_position(t, &f->accesses[one]);
    pf_text_add(t, " and ");
    add_position(t, &f->accesses[!one]);
}

const char *pf_stage_words(const char *stage)
{
    static const struct {
        const char *stage, *words;
    } known[] = {
        {"run", "a free run"},
        {"record", "a recording"},
        {"predict", "a prediction"},
        {"hatch", "a forced schedule"},
        {"explore", "the systematic search"},
        {"judge", "a judged run"},
        {"hunt", "a hunt for other inputs"},
        {"batch", "a batch of schedules"},
        {"racefuzzer", "a schedule aimed at it"},
        {"assetfuzzer", "a schedule aimed at it"},
        {"tsan", "ThreadSanitizer"},
        {"helgrind", "Helgrind"},
    };
    for (size_t i = 0; i < sizeof known / sizeof *known; i++)
        if (!strcmp(stage, known[i].stage))
            return known[i].words;
    return stage;
}
