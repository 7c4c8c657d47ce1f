/*
 * wrap_ompt.c - OpenMP: the order of teams, barriers and tasks. libomp reports it through the tool
 * interface of the OpenMP specification (OMPT); the runtime is such a tool. Locks are in
 * wrap_omp.c.
 *
 * Model:   sync objects are bytes of the structs below:
 *            a team's start      what came before the region, before each of its threads
 *            a barrier           each arrival before each departure; two of them in turns,
 *                                because a fast thread may arrive at the next barrier before
 *                                a slow one has left this one
 *            a task's `own`      its creation and each suspension, before it runs again
 *            children, a group   the end of tasks, before taskwait and the end of the taskgroup
 *            a dependence        the address that the program names: out before in and out,
 *                                in before out
 *          Two tasks that run on one thread are ordered by the thread: this adds order, but loses
 *          none.
 * Memory:  from store.h, attached to the words that libomp keeps for its tool; a task stays until
 *          its children are freed.
 */
#include "hb.h"
#include "listener.h"
#include "runtime_access.h"
#include "spin_loop.h"
#include "store.h"
#include "sys.h"
#include "wrap.h"
#include <dlfcn.h>

/* --- the interface: as in OpenMP 5.1, chapter 19, which defines the numbers --- */

union data {
    uint64_t value;
    void *ptr;
};
struct dependence {
    union data variable;
    int type;
};
enum { DEPENDS_IN = 1, DEPENDS_SOURCE = 5, DEPENDS_SINK = 6, DEPENDS_OUT_ALL = 34 };
enum { SCOPE_BEGIN = 1, SCOPE_END = 2, SCOPE_BEGIN_END = 3 };
enum { REGION_TASKWAIT = 5, REGION_TASKGROUP = 6, REGION_REDUCTION = 7 };
enum {
    TASK_COMPLETE = 1,
    TASK_CANCEL = 3,
    TASK_DETACH = 4,
    TASK_EARLY = 5,
    TASK_LATE = 6,
    TASKWAIT_COMPLETE = 8
};
enum { TASK_IS_EXPLICIT = 4 };
enum {
    ON_PARALLEL_BEGIN = 3,
    ON_PARALLEL_END = 4,
    ON_TASK_CREATE = 5,
    ON_TASK_SCHEDULE = 6,
    ON_IMPLICIT_TASK = 7,
    ON_DEPENDENCES = 18,
    ON_SYNC_REGION = 23,
    ON_REDUCTION = 31,
};
typedef void (*callback)(void);
typedef int set_callback(int which, callback f);
typedef int get_task_memory(void **block, size_t *size, int which);
typedef callback lookup(const char *name);

struct tool {
    int (*begin)(lookup *find, int device, union data *own);
    void (*end)(union data *own);
    union data own;
};

static get_task_memory *task_memory; /* of the current task; NULL: libomp does not have it */

/* --- teams and tasks --- */

struct team {
    char start, barrier[2], reduction;
};
struct task_group {
    struct task_group *outer;
    char task_ended;
};
struct task {
    /* implicit: the implicit task whose barriers wait for this one; itself for an implicit task */
    struct task *parent, *implicit;
    struct team *team;
    struct task_group *group;
    struct dependence *depends;
    uint32_t ndepends, refs; /* 1 for itself, and 1 for each child */
    uint8_t turn; /* which of the two barriers is next */
    bool is_explicit, begun;
    char own, children;
};
/* stands for the address of a dependence on all memory; like any dependence it uses two bytes */
static const char all_memory[2];

PF_NATIVE_AS(openmp, "OpenMP");
struct pf_self_ordered_library pf_self_ordered_library;

static unsigned order_for(size_t size)
{
    unsigned order = 0;
    while ((size_t)64 << order < size)
        order++;
    return order;
}
static void *alloc_zeroed(size_t size)
{
    void *p = pf_store_alloc(order_for(size));
    if (p)
        pf_zero(p, size);
    return p;
}
static void forget_and_free(void *p, size_t size)
{
    pf_hb_forget(p, size);
    pf_store_free(p, order_for(size));
}

static struct team *team_of(union data *region)
{
    if (region && !region->ptr)
        region->ptr = alloc_zeroed(sizeof(struct team));
    return region ? region->ptr : NULL;
}

static struct task *task_of(const union data *word) { return word ? word->ptr : NULL; }

static void task_unref(struct task *k)
{
    while (k && __atomic_sub_fetch(&k->refs, 1, __ATOMIC_ACQ_REL) == 0) {
        struct task *parent = k->parent;
        if (k->depends)
            forget_and_free(k->depends, k->ndepends * sizeof *k->depends);
        forget_and_free(k, sizeof *k);
        k = parent;
    }
}

/* --- teams and barriers --- */

static void on_parallel_begin(union data *encountering, const void *frame, union data *region,
                              unsigned threads, int flags, const void *code)
{
    PF_CALL_FROM(c, openmp, NULL);
    struct team *m = c.t ? team_of(region) : NULL;
    if (m)
        pf_hb_release(c.t, &m->start);
}

static void on_parallel_end(union data *region, union data *encountering, int flags,
                            const void *code)
{
    PF_CALL_FROM(c, openmp, NULL);
    struct team *m = region ? region->ptr : NULL;
    if (!m)
        return;
    if (c.t) {
        pf_hb_acquire(c.t, &m->barrier[0]);
        pf_hb_acquire(c.t, &m->barrier[1]);
    }
    forget_and_free(m, sizeof *m);
    region->ptr = NULL;
}

/* A worker receives the end of its task only when it gets its next one; its team is gone by
 * then. */
static void on_implicit_task(int scope, union data *region, union data *word, unsigned threads,
                             unsigned index, int flags)
{
    PF_CALL_FROM(c, openmp, NULL);
    if (scope != SCOPE_BEGIN) {
        task_unref(task_of(word));
        word->ptr = NULL;
        return;
    }
    struct task *k = alloc_zeroed(sizeof *k);
    if (!k)
        return;
    *k = (struct task){.implicit = k, .team = team_of(region), .refs = 1, .begun = true};
    word->ptr = k;
    if (c.t && k->team)
        pf_hb_acquire(c.t, &k->team->start);
}

static void on_taskgroup(struct pf_thread *t, struct task *k, int scope)
{
    struct task_group *g = k->group;
    if (scope == SCOPE_BEGIN) {
        struct task_group *inner = alloc_zeroed(sizeof *inner);
        if (inner) {
            inner->outer = g;
            k->group = inner;
        }
    } else if (g) {
        if (t)
            pf_hb_acquire(t, &g->task_ended);
        k->group = g->outer;
        forget_and_free(g, sizeof *g);
    }
}

static void on_sync_region(int kind, int scope, union data *region, union data *word,
                           const void *code)
{
    PF_CALL_FROM(c, openmp, NULL);
    struct task *k = task_of(word);
    if (!k || (!c.t && kind != REGION_TASKGROUP))
        return;
    switch (kind) {
    case REGION_TASKWAIT:
        if (scope != SCOPE_BEGIN)
            pf_hb_acquire(c.t, &k->children);
        return;
    case REGION_TASKGROUP:
        on_taskgroup(c.t, k, scope);
        return;
    case REGION_REDUCTION:
        return;
    default:
        if (!k->team || !region) /* without a region, the thread has left it long ago */
            return;
        if (scope != SCOPE_END)
            pf_hb_release(c.t, &k->team->barrier[k->turn]);
        if (scope != SCOPE_BEGIN) {
            pf_hb_acquire(c.t, &k->team->barrier[k->turn]);
            k->turn ^= 1;
        }
    }
}

/* Inside a barrier one thread adds up the parts of others that have arrived. */
static void on_reduction(int kind, int scope, union data *region, union data *word,
                         const void *code)
{
    PF_CALL_FROM(c, openmp, NULL);
    struct task *k = task_of(word);
    if (!c.t || !k || !k->team)
        return;
    if (scope != SCOPE_END) {
        pf_hb_acquire(c.t, &k->team->reduction);
        pf_hb_acquire(c.t, &k->team->barrier[k->turn]);
    }
    if (scope != SCOPE_BEGIN) {
        pf_hb_release(c.t, &k->team->reduction);
        pf_hb_release(c.t, &k->team->barrier[k->turn]);
    }
}

/* --- tasks --- */

static void on_task_create(union data *encountering, const void *frame, union data *word, int flags,
                           int has_dependences, const void *code)
{
    PF_CALL_FROM(c, openmp, NULL);
    struct task *parent = task_of(encountering), *k = word ? alloc_zeroed(sizeof *k) : NULL;
    if (!k)
        return;
    *k = (struct task){.parent = parent, .implicit = k, .refs = 1, .begun = true};
    word->ptr = k;
    if (!(flags & TASK_IS_EXPLICIT) || !parent) {
        k->parent = NULL;
        return;
    }
    __atomic_add_fetch(&parent->refs, 1, __ATOMIC_RELAXED);
    k->implicit = parent->implicit;
    k->team = parent->team;
    k->group = parent->group;
    k->is_explicit = true;
    k->begun = false;
    if (c.t)
        pf_hb_release(c.t, &k->own);
}

static void on_dependences(union data *word, const struct dependence *d, int n)
{
    PF_CALL_FROM(c, openmp, NULL);
    struct task *k = task_of(word);
    if (!k || n <= 0 || k->depends || d->type == DEPENDS_SOURCE || d->type == DEPENDS_SINK)
        return;
    k->depends = alloc_zeroed((size_t)n * sizeof *d);
    if (!k->depends)
        return;
    k->ndepends = (uint32_t)n;
    pf_copy(k->depends, d, (size_t)n * sizeof *d);
}

static const char *dependence_address(const struct dependence *d)
{
    return d->type >= DEPENDS_OUT_ALL ? all_memory : d->variable.ptr;
}

static void acquire_dependences(struct pf_thread *t, const struct task *k)
{
    for (uint32_t i = 0; i < k->ndepends; i++) {
        pf_hb_acquire(t, dependence_address(&k->depends[i]));
        if (k->depends[i].type != DEPENDS_IN)
            pf_hb_acquire(t, dependence_address(&k->depends[i]) + 1);
    }
    if (k->ndepends)
        pf_hb_acquire(t, all_memory);
}

static void release_dependences(struct pf_thread *t, const struct task *k)
{
    for (uint32_t i = 0; i < k->ndepends; i++)
        pf_hb_release(t, dependence_address(&k->depends[i]) + (k->depends[i].type == DEPENDS_IN));
    if (k->ndepends)
        pf_hb_release(t, all_memory + 1);
}

static void task_ended(struct pf_thread *t, struct task *k)
{
    release_dependences(t, k);
    if (k->parent)
        pf_hb_release(t, &k->parent->children);
    if (k->group)
        pf_hb_release(t, &k->group->task_ended);
    if (k->team)
        pf_hb_release(t, &k->team->barrier[k->implicit->turn]);
}

/* libomp's own allocator will reuse it. */
static void forget_task_memory(struct pf_thread *t)
{
    void *block;
    size_t size;
    if (task_memory && task_memory(&block, &size, 0) && size) {
        pf_memory_new(block, size);
        pf_listener_notify(t, PF_NOTIFY_MEMORY_RESET, block, size);
    }
}

static void on_task_schedule(union data *before, int status, union data *after)
{
    PF_CALL_FROM(c, openmp, NULL);
    struct task *k = task_of(before), *next = task_of(after);
    bool ends = status == TASK_COMPLETE || status == TASK_CANCEL || status == TASK_LATE;
    if (status == TASK_EARLY)
        return;
    if (c.t && k && k->is_explicit && (ends || status == TASK_DETACH)) {
        task_ended(c.t, k);
        if (status == TASK_COMPLETE)
            forget_task_memory(c.t);
    } else if (c.t && k && !ends)
        pf_hb_release(c.t, &k->own);
    if (c.t && next && status != TASK_LATE) {
        pf_hb_acquire(c.t, &next->own);
        if (!next->begun)
            acquire_dependences(c.t, next);
        next->begun = true;
    }
    if (k && k->is_explicit && (ends || status == TASKWAIT_COMPLETE)) {
        before->ptr = NULL;
        task_unref(k);
    }
}

/* --- the tool --- */

static int begin(lookup *find, int device, union data *own)
{
    set_callback *set = (set_callback *)find("ompt_set_callback");
    struct dl_find_object library;
    if (!set)
        return 0;
    task_memory = (get_task_memory *)find("ompt_get_task_memory");
    if (_dl_find_object((void *)find, &library) == 0)
        pf_self_ordered_library = (struct pf_self_ordered_library){
            (uintptr_t)library.dlfo_map_start,
            (uintptr_t)library.dlfo_map_end - (uintptr_t)library.dlfo_map_start};
    pf_spin_loop_set_library(pf_self_ordered_library.base, pf_self_ordered_library.size);
    set(ON_PARALLEL_BEGIN, (callback)on_parallel_begin);
    set(ON_PARALLEL_END, (callback)on_parallel_end);
    set(ON_IMPLICIT_TASK, (callback)on_implicit_task);
    set(ON_SYNC_REGION, (callback)on_sync_region);
    set(ON_REDUCTION, (callback)on_reduction);
    set(ON_TASK_CREATE, (callback)on_task_create);
    set(ON_DEPENDENCES, (callback)on_dependences);
    set(ON_TASK_SCHEDULE, (callback)on_task_schedule);
    return 1;
}

static void end(union data *own) {}

/* libomp looks up a function of this name when it starts. */
struct tool *ompt_start_tool(unsigned version, const char *runtime);
PF_PROVIDE(struct tool *, ompt_start_tool, (unsigned version, const char *runtime))
{
    static struct tool tool = {begin, end, {0}};
    PF_CALL(c, ompt_start_tool);
    return c.t ? &tool : NULL;
}
