/*
 * race_build.c - see race_build.h.
 *
 * Names of object files come from /proc/self/maps, not from the dynamic linker: its locks may be
 * held by the very thread that reports.
 */
#include "race_build.h"
#include "access.h"
#include "fingerprint.h"
#include "module.h"
#include "race.h"
#include "stack.h"
#include "sys.h"
#include "textbuf.h"
#include <fcntl.h>

#define PART 4096

struct builder {
    struct pf_pool *pool;
    char *maps; /* text of /proc/self/maps, or NULL */
    bool failed;
};

char *pf_proc_read(struct pf_pool *pool, const char *path, size_t *size)
{
    long fd = pf_sys(SYS_open, path, O_RDONLY | O_CLOEXEC, 0);
    if (fd < 0)
        return NULL;
    struct pf_text t;
    char *part = pf_pool_get(pool, PART); /* the target's stack may be small */
    long r = -1;
    pf_text_init(&t, pool);
    while (part && (r = pf_sys(SYS_read, fd, part, PART)) > 0)
        pf_text_bytes(&t, part, (size_t)r);
    pf_sys(SYS_close, fd);
    pf_text_char(&t, 0);
    *size = t.n - 1;
    return r < 0 || t.failed ? NULL : t.at;
}

static const char *keep(struct builder *b, const char *s)
{
    if (!s)
        return NULL;
    const char *copy = pf_pool_text(b->pool, s, pf_str_len(s));
    b->failed |= !copy;
    return copy;
}

static uintptr_t hex(const char **s)
{
    uintptr_t v = 0;
    for (;; (*s)++) {
        char c = **s;
        int digit = c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
        if (digit < 0)
            return v;
        v = v << 4 | (uintptr_t)digit;
    }
}

/* The file mapped at p: lines are "lo-hi rwxp offset dev inode   /path". */
static const char *module_of(struct builder *b, const void *p)
{
    for (const char *s = b->maps; s && *s;) {
        uintptr_t lo = hex(&s);
        s += *s == '-';
        uintptr_t hi = hex(&s);
        const char *end = s;
        while (*end && *end != '\n')
            end++;
        if ((uintptr_t)p >= lo && (uintptr_t)p < hi) {
            while (s < end && *s != '/')
                s++;
            const char *name = s < end ? pf_pool_text(b->pool, s, (size_t)(end - s)) : NULL;
            return name;
        }
        s = end + (*end == '\n');
    }
    return NULL;
}

struct walk {
    struct builder *b;
    struct pf_place *at;
    size_t n, room;
    struct pf_position top;
};

static bool count_position(const struct pf_position *p, void *arg)
{
    struct walk *w = arg;
    if (w->n++ == 0)
        w->top = *p;
    return true;
}

static bool copy_position(const struct pf_position *p, void *arg)
{
    struct walk *w = arg;
    struct builder *b = w->b;
    if (w->n == w->room)
        return false;
    w->at[w->n++] = (struct pf_place){
        .function = keep(b, p->func),
        .file = keep(b, p->file),
        .module = p->file ? module_of(b, p->func) : NULL,
        .line = p->line,
        .column = p->column,
        .first_line = p->func_line,
        .folded = p->folded,
    };
    return true;
}

/* The stack of `id`; *top, if given, is its innermost position with strings that live on. The lock
 * keeps unloading objects away while their strings are copied. */
static struct pf_trail build_trail(struct builder *b, uint32_t id, struct pf_position *top)
{
    struct walk w = {.b = b};
    pf_module_lock();
    pf_stack_walk(id, count_position, &w);
    w.at = pf_pool_get(b->pool, w.n * sizeof *w.at + 1);
    w.room = w.n;
    w.n = 0;
    if (w.at)
        pf_stack_walk(id, copy_position, &w);
    if (top) {
        *top = w.top;
        top->var = keep(b, w.top.var);
    }
    pf_module_unlock();
    b->failed |= !w.at;
    return (struct pf_trail){w.at, w.n};
}

static bool count_source(const struct pf_position *p, void *arg)
{
    return !p->file || count_position(p, arg);
}
static bool copy_source(const struct pf_position *p, void *arg)
{
    return !p->file || copy_position(p, arg);
}

/* The functions that t is in now, without those of the C library. */
static struct pf_trail build_live_trail(struct builder *b, const struct pf_thread *t)
{
    struct walk w = {.b = b};
    pf_module_lock();
    pf_stack_walk_live(t, count_source, &w);
    w.at = pf_pool_get(b->pool, w.n * sizeof *w.at + 1);
    w.room = w.n;
    w.n = 0;
    if (w.at)
        pf_stack_walk_live(t, copy_source, &w);
    pf_module_unlock();
    b->failed |= !w.at;
    return (struct pf_trail){w.at, w.n};
}

static enum pf_op op_of(uint64_t statement, uint32_t site_kind)
{
    bool write = statement >> PF_WRITE_BIT & 1, atomic = statement >> PF_ATOMIC_BIT & 1;
    if (site_kind == PF_SITE_FREE)
        return PF_OP_FREE;
    if (site_kind == PF_SITE_LOCK)
        return PF_OP_LOCK;
    return atomic  ? (write ? PF_OP_ATOMIC_WRITE : PF_OP_ATOMIC_READ)
           : write ? PF_OP_WRITE
                   : PF_OP_READ;
}

static uint32_t id_of(uint64_t statement) { return statement & ((1u << PF_ID_BITS) - 1); }

/* For the fingerprint: the stack as far as that looks, strings where they are. */
static struct glance {
    struct pf_place at[PF_GLANCE_MAX];
    size_t n;
    uint32_t kind;
} glance[2]; /* under the report lock, not on the target's stack, which may be small */

static bool glance_position(const struct pf_position *p, void *arg)
{
    struct glance *g = arg;
    if (g->n == 0)
        g->kind = p->kind;
    g->at[g->n] = (struct pf_place){.function = p->func,
                                    .file = p->file,
                                    .line = p->line,
                                    .column = p->column,
                                    .first_line = p->func_line};
    return !pf_place_own(&g->at[g->n++]) && g->n < PF_GLANCE_MAX;
}

uint64_t pf_race_fingerprint(uint64_t now, uint64_t then)
{
    struct pf_finding f = {.kind = PF_KIND_RACE};
    uint64_t statement[2] = {now, then};
    pf_module_lock();
    for (int i = 0; i < 2; i++) {
        struct glance *g = &glance[i];
        g->n = g->kind = 0;
        pf_stack_walk(id_of(statement[i]), glance_position, g);
        f.access[i].op = op_of(statement[i], g->kind);
        f.access[i].trail = (struct pf_trail){g->at, g->n};
    }
    uint64_t id = pf_fingerprint(&f);
    pf_module_unlock();
    return id;
}

/* "name", or "name+0x10" inside of it; NULL when it is no global variable. */
static const char *name_of(struct builder *b, uintptr_t addr)
{
    struct pf_global g;
    if (!pf_global_find(addr, &g) || !g.name)
        return NULL;
    struct pf_text t;
    pf_text_init(&t, b->pool);
    pf_text_add(&t, g.name);
    if (addr != g.addr) {
        pf_text_add(&t, "+0x");
        pf_text_hex(&t, addr - g.addr, 1);
    }
    pf_text_char(&t, 0);
    b->failed |= t.failed;
    return t.failed ? NULL : t.at;
}

/* The name as the source has it: of "f.n" and "f()::n" the static variable n of f, of "n.12" n. */
static const char *source_name(struct builder *b, const char *name)
{
    const char *dot = NULL;
    for (const char *s = name; s && *s; s++) {
        if (pf_str_starts(s, ")::"))
            name = s + 3;
        if (*s == '.')
            dot = s;
    }
    if (!dot || dot < name)
        return name;
    if (dot[1] < '0' || dot[1] > '9')
        return dot + 1;
    const char *copy = pf_pool_text(b->pool, name, (size_t)(dot - name));
    b->failed |= !copy;
    return source_name(b, copy);
}

static void build_locks(struct builder *b, struct pf_access *a, uint32_t lockset)
{
    size_t n = pf_lockset_get(lockset, NULL, 0);
    struct pf_held *held = pf_pool_get(b->pool, n * sizeof *held + 1);
    struct pf_lock *locks = pf_pool_get(b->pool, n * sizeof *locks + 1);
    if (!held || !locks) {
        b->failed = true;
        return;
    }
    n = pf_lockset_get(lockset, held, n);
    for (size_t i = 0; i < n; i++) /* the set has the newest first; a report, the oldest */
        locks[n - 1 - i] = (struct pf_lock){.address = held[i].addr,
                                            .name = name_of(b, held[i].addr),
                                            .shared = held[i].shared,
                                            .first = true, /* see lock_acquire in hb.c */
                                            .taken = build_trail(b, held[i].where, NULL)};
    a->locks = locks;
    a->nlocks = n;
}

static void build_access(struct builder *b, struct pf_access *a, const struct pf_thread *t,
                         uintptr_t granule, uint64_t statement)
{
    struct pf_position top;
    uint32_t sid = statement >> PF_SID_SHIFT & ((1u << PF_SID_BITS) - 1);
    uint32_t clk = statement >> PF_CLK_SHIFT & PF_CLK_MAX;
    uint32_t mask = (uint32_t)(statement >> PF_MASK_SHIFT);
    a->thread = t ? t->number : 0;
    a->trail = build_trail(b, id_of(statement), &top);
    a->op = op_of(statement, top.kind);
    a->size = top.size ? top.size : (uint64_t)__builtin_popcount(mask);
    a->address = granule + (uintptr_t)__builtin_ctz(mask | 0x100);
    a->variable = top.kind == PF_SITE_READ || top.kind == PF_SITE_WRITE ||
                          top.kind == PF_SITE_ATOMIC_READ || top.kind == PF_SITE_ATOMIC_WRITE
                      ? top.var
                      : NULL;
    build_locks(b, a, pf_epoch_lockset(sid, clk));
}

struct whose {
    struct builder *b;
    uintptr_t addr;
    struct pf_location *location;
};

static void see_thread(struct pf_thread *t, void *arg)
{
    struct whose *w = arg;
    bool tls = w->addr >= t->tls_lo && w->addr < t->tls_hi;
    if (w->location->kind == PF_LOCATION_UNKNOWN &&
        (tls || (w->addr >= t->stack_lo && w->addr < t->stack_hi))) {
        w->location->kind = tls ? PF_LOCATION_TLS : PF_LOCATION_STACK;
        w->location->thread = t->number;
        if (!tls)
            w->location->trail = build_live_trail(w->b, t);
    }
}

static void build_location(struct builder *b, struct pf_location *l, uintptr_t addr)
{
    struct pf_global g;
    struct pf_block block;
    if (pf_global_find(addr, &g)) {
        *l = (struct pf_location){.kind = PF_LOCATION_GLOBAL,
                                  .name = keep(b, g.name),
                                  .file = keep(b, g.file),
                                  .line = g.line,
                                  .address = g.addr,
                                  .size = g.size};
    } else if (pf_block_find((void *)addr, &block)) {
        *l = (struct pf_location){.kind = PF_LOCATION_HEAP,
                                  .freed = block.freed,
                                  .thread = block.thread,
                                  .address = block.addr,
                                  .size = block.size,
                                  .trail = build_trail(b, block.where, NULL)};
    } else {
        struct whose w = {b, addr, l};
        pf_thread_each(see_thread, &w);
    }
}

static void add_actor(struct builder *b, struct pf_finding *f, struct pf_actor *actors,
                      const struct pf_thread *t)
{
    if (!t || pf_finding_actor(f, t->number))
        return;
    struct pf_actor *a = &actors[f->nactors++];
    a->number = t->number;
    a->parent = t->parent;
    a->tid = t->tid;
    a->running = t->state == PF_THREAD_RUNNING;
    a->name = t->name[0] ? keep(b, t->name) : NULL;
    if (t->number)
        a->created = build_trail(b, t->created_at, NULL);
}

struct pf_finding *pf_race_build(struct pf_pool *pool, uint64_t id, struct pf_thread *t,
                                 uintptr_t granule, uint64_t now, uint64_t then)
{
    size_t size;
    struct builder b = {.pool = pool, .maps = pf_proc_read(pool, "/proc/self/maps", &size)};
    struct pf_finding *f = pf_pool_get(pool, sizeof *f);
    struct pf_actor *actors = pf_pool_get(pool, 3 * sizeof *actors);
    if (!f || !actors)
        return NULL;
    const struct pf_thread *other = pf_epoch_thread(
        then >> PF_SID_SHIFT & ((1u << PF_SID_BITS) - 1), then >> PF_CLK_SHIFT & PF_CLK_MAX);
    uint32_t common = (uint32_t)((now & then) >> PF_MASK_SHIFT);
    f->kind = PF_KIND_RACE;
    f->status = PF_STATUS_OBSERVED;
    f->analysis = "fasttrack";
    f->count = 1;
    f->actors = actors;
    build_access(&b, &f->access[0], t, granule, now);
    build_access(&b, &f->access[1], other, granule, then);
    build_location(&b, &f->location, granule + (uintptr_t)__builtin_ctz(common | 0x100));
    add_actor(&b, f, actors, t);
    add_actor(&b, f, actors, other);
    if (f->location.kind == PF_LOCATION_HEAP)
        add_actor(&b, f, actors, pf_thread_numbered(f->location.thread));
    for (size_t i = 0; i < 2; i++) {
        struct pf_access *a = &f->access[i];
        if (f->location.kind == PF_LOCATION_GLOBAL)
            a->variable = source_name(&b, f->location.name);
        if (a->op == PF_OP_FREE && f->location.kind == PF_LOCATION_HEAP) {
            a->address = f->location.address;
            a->size = f->location.size;
        }
    }
    f->id = id;
    return b.failed ? NULL : f;
}

/* --- memory that is nobody's --- */

static void build_step(struct builder *b, struct pf_access *a, uint32_t thread, uint32_t id,
                       enum pf_op op, uintptr_t addr, size_t size)
{
    struct pf_position top = {0};
    *a = (struct pf_access){.thread = thread,
                            .op = op,
                            .size = size,
                            .address = addr,
                            .trail = build_trail(b, id, &top)};
}

/* Where the variable is declared takes the place of the allocation. */
static void build_variable(struct builder *b, struct pf_finding *f, struct pf_access *a,
                           const struct pf_error_seen *e)
{
    struct pf_place *at = pf_pool_get(b->pool, sizeof *at);
    bool global = e->kind == PF_ERROR_GLOBAL;
    if (!at) {
        b->failed = true;
        return;
    }
    *at = (struct pf_place){.function = keep(b, global ? e->object.name : e->function),
                            .file = keep(b, e->object.file),
                            .line = e->object.line};
    f->location = (struct pf_location){.kind = global ? PF_LOCATION_GLOBAL : PF_LOCATION_STACK,
                                       .name = keep(b, e->object.name),
                                       .file = at->file,
                                       .line = at->line,
                                       .thread = e->owner,
                                       .address = e->object.addr,
                                       .size = e->object.size,
                                       .trail = {at, !global}};
    *a = (struct pf_access){.thread = e->owner,
                            .op = PF_OP_ALLOC,
                            .size = e->object.size,
                            .address = e->object.addr,
                            .variable = f->location.name,
                            .trail = {at, 1}};
}

struct pf_finding *pf_error_build(struct pf_pool *pool, const struct pf_error_seen *e)
{
    static const enum pf_kind kinds[] = {[PF_ERROR_OVERFLOW] = PF_KIND_HEAP_OVERFLOW,
                                         [PF_ERROR_AFTER_FREE] = PF_KIND_USE_AFTER_FREE,
                                         [PF_ERROR_FREED_TWICE] = PF_KIND_DOUBLE_FREE,
                                         [PF_ERROR_STACK] = PF_KIND_STACK_OVERFLOW,
                                         [PF_ERROR_GLOBAL] = PF_KIND_GLOBAL_OVERFLOW};
    size_t size;
    struct builder b = {.pool = pool, .maps = pf_proc_read(pool, "/proc/self/maps", &size)};
    struct pf_finding *f = pf_pool_get(pool, sizeof *f);
    struct pf_actor *actors = pf_pool_get(pool, 3 * sizeof *actors);
    struct pf_access *steps = pf_pool_get(pool, 2 * sizeof *steps);
    if (!f || !actors || !steps)
        return NULL;
    f->kind = kinds[e->kind];
    f->status = PF_STATUS_OBSERVED;
    f->analysis = "memory";
    f->count = 1;
    f->actors = actors;
    f->steps = steps;
    if (e->kind == PF_ERROR_STACK || e->kind == PF_ERROR_GLOBAL)
        build_variable(&b, f, &steps[f->nsteps++], e);
    else if (e->kind == PF_ERROR_OVERFLOW)
        build_step(&b, &steps[f->nsteps++], e->block.thread, e->block.where, PF_OP_ALLOC,
                   e->block.addr, e->block.size);
    else
        build_step(&b, &steps[f->nsteps++], e->freed_by, e->freed_at, PF_OP_FREE, e->block.addr,
                   e->block.size);
    build_step(&b, &steps[f->nsteps++], e->t->number, e->id,
               e->kind == PF_ERROR_FREED_TWICE ? PF_OP_FREE
               : e->write                      ? PF_OP_WRITE
                                               : PF_OP_READ,
               e->addr, e->size);
    if (e->block.size)
        f->location = (struct pf_location){.kind = PF_LOCATION_HEAP,
                                           .freed = e->block.freed,
                                           .thread = e->block.thread,
                                           .address = e->block.addr,
                                           .size = e->block.size,
                                           .trail = build_trail(&b, e->block.where, NULL)};
    add_actor(&b, f, actors, e->t);
    if (e->kind == PF_ERROR_STACK)
        add_actor(&b, f, actors, pf_thread_numbered(e->owner));
    else if (e->kind == PF_ERROR_AFTER_FREE || e->kind == PF_ERROR_FREED_TWICE)
        add_actor(&b, f, actors, pf_thread_numbered(e->freed_by));
    if (e->block.size)
        add_actor(&b, f, actors, pf_thread_numbered(e->block.thread));
    f->id = pf_fingerprint(f);
    return b.failed ? NULL : f;
}

struct pf_trail pf_trail_build(struct pf_pool *pool, uint32_t id)
{
    size_t size;
    struct builder b = {.pool = pool, .maps = pf_proc_read(pool, "/proc/self/maps", &size)};
    return build_trail(&b, id, NULL);
}
