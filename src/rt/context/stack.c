/*
 * stack.c - see stack.h.
 *
 * Nodes are computed lazily: the entry of a function only pushes a frame. The node is looked up
 * when an access record needs a site id, and stays in the frame until the function returns.
 *
 * With recursion the tree could become as large as the set of all stacks. So once the same call is
 * on the stack `fold_limit()` times, its node is identified with that of its nearest ancestor with
 * the same call ("folding"). The limit falls as the tree grows: small programs keep exact stacks,
 * and the tree of large ones stays bounded. Reports mark folded frames.
 */
#include "stack.h"
#include "hash_index.h"
#include "limits.h"
#include "module.h"
#include "pc_frame.h"
#include "pf_shadow.h"
#include "spin.h"
#include "sys.h"
#include "textbuf.h"

#define IDS_PER_BLOCK PF_IDS_PER_BLOCK
#define BLOCKS_MAX (PF_ID_SITE_PAIR / IDS_PER_BLOCK)
#define CALLS_MAX (1u << 22) /* known calls; stacks with further calls are unknown */
#define FOLD_DEPTH_MAX 512 /* ancestors examined for recursion */

struct known_call { /* a call that was seen, and its node; after folding, the node of an ancestor */
    uint32_t parent, site, func, node;
};

static struct pf_spin lock;
static struct pf_hash_index index;
static struct known_call *calls;
static uint32_t ncalls = 1;
static struct {
    uint32_t node, first_site;
} *blocks; /* indexed by id / IDS_PER_BLOCK */
static uint32_t nblocks = 1;
static uint32_t root;

static struct pf_node *node_at(uint32_t handle) { return pf_store_at(handle); }

void pf_stack_lock(void) { pf_spin_lock(&lock); }
void pf_stack_unlock(void) { pf_spin_unlock(&lock); }

bool pf_stack_init(void)
{
    calls = pf_sys_map(NULL, sizeof *calls * CALLS_MAX);
    blocks = pf_sys_map(NULL, sizeof *blocks * BLOCKS_MAX);
    struct pf_node *r = pf_store_alloc(0);
    if (!calls || !blocks || !r)
        return false;
    root = pf_store_handle(r);
    return true;
}

static bool same(uint32_t item, const void *key)
{
    const struct known_call *c = &calls[item], *k = key;
    return c->parent == k->parent && c->site == k->site && c->func == k->func;
}

static uint32_t fold_limit(void)
{
    return ncalls < 1u << 15 ? 32 : ncalls < 1u << 17 ? 4 : ncalls < 1u << 19 ? 2 : 1;
}

/* The ancestor that the call is folded into, if the recursion is deep enough; else 0. */
static uint32_t fold(uint32_t parent, uint32_t call, uint32_t func)
{
    uint32_t caller = node_at(parent)->func, seen = 0, nearest = 0, limit = fold_limit();
    uint32_t n = parent;
    for (int i = 0; i < FOLD_DEPTH_MAX && n != root; i++, n = node_at(n)->parent) {
        struct pf_node *a = node_at(n);
        if (a->func != func || a->call != call || node_at(a->parent)->func != caller)
            continue;
        if (!nearest)
            nearest = n;
        if (++seen >= limit) {
            node_at(nearest)->folded = 1;
            return nearest;
        }
    }
    return 0;
}

/* Makes a node; returns its store handle, 0 if there is no memory. */
static uint32_t create(uint32_t parent, uint32_t call, uint32_t func)
{
    uint32_t count = (pf_func_at(func)->nsites + IDS_PER_BLOCK - 1) / IDS_PER_BLOCK;
    size_t size = sizeof(struct pf_node) + count * sizeof(uint32_t);
    unsigned order = 0;
    while ((64u << order) < size)
        order++;
    struct pf_node *n = pf_store_alloc(order);
    if (!n)
        return 0;
    pf_zero(n, 64u << order);
    n->parent = parent;
    n->call = call;
    n->func = func;
    n->nblocks = count;
    return pf_store_handle(n);
}

/* The node of a call, from the shared index; made if necessary. */
static uint32_t child_slow(uint32_t parent, uint32_t site, uint32_t func)
{
    struct known_call key = {parent, site, func, 0};
    uint32_t hash = pf_hash_index_hash(parent, (uint64_t)site << 32 | func);
    uint32_t i = pf_hash_index_find(&index, hash, same, &key);
    if (i)
        return calls[i].node;
    pf_spin_lock(&lock);
    i = pf_hash_index_find(&index, hash, same, &key);
    if (!i && ncalls < CALLS_MAX) {
        key.node = fold(parent, site, func);
        if (!key.node)
            key.node = create(parent, site, func);
        calls[ncalls] = key;
        if (key.node && pf_hash_index_add(&index, hash, ncalls))
            i = ncalls++;
    }
    pf_spin_unlock(&lock);
    return i ? calls[i].node : 0;
}

/* The same, from the thread's cache of recent contexts. */
static uint32_t child(uint32_t parent, uint32_t call, uint32_t func)
{
    struct pf_recent_context *p = pf_recent_context_slot(__pf_tls.thread, parent, call, func);
    if (p->parent != parent || p->call != call || p->func != func) {
        uint32_t n = child_slow(parent, call, func);
        if (!n)
            return 0;
        p->parent = 0; /* a signal handler may run in between */
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        *p = (struct pf_recent_context){0, call, func, n};
        __atomic_signal_fence(__ATOMIC_SEQ_CST);
        p->parent = parent;
    }
    return p->node;
}

/* Computes the nodes of all frames up to `top`, starting at the topmost frame that has one. Returns
 * the node of `top`, 0 if a limit was reached. */
static uint32_t resolve(struct pf_frame *top)
{
    struct pf_frame *f = top;
    while (!f->node)
        f--;
    uint32_t n = f->node == PF_NODE_ROOT ? root : f->node;
    while (f++ < top) {
        uint32_t func = pf_func_number(f->func);
        n = func ? child(n, pf_frame_site(&f[-1]), func) : 0;
        if (!n)
            return 0;
        f->node = n;
    }
    return n;
}

/* Allocates the ids of block b of the node. */
static uint32_t new_block(uint32_t handle, struct pf_node *n, uint32_t b)
{
    pf_spin_lock(&lock);
    uint32_t id = n->block[b];
    if (!id && nblocks < BLOCKS_MAX) {
        blocks[nblocks].node = handle;
        blocks[nblocks].first_site = b * IDS_PER_BLOCK;
        id = nblocks++ * IDS_PER_BLOCK;
        __atomic_store_n(&n->block[b], id, __ATOMIC_RELEASE);
    }
    pf_spin_unlock(&lock);
    return id;
}

uint32_t pf_stack_id_slow(uint32_t site)
{
    struct pf_frame *f = __pf_tls.frame - 1;
    uint32_t handle = f->node == PF_NODE_ROOT ? 0 : f->node ? f->node : resolve(f);
    if (handle) {
        struct pf_node *n = node_at(handle);
        uint32_t b = site / IDS_PER_BLOCK, id = __atomic_load_n(&n->block[b], __ATOMIC_ACQUIRE);
        if (!id)
            id = new_block(handle, n, b);
        if (id)
            return id + site % IDS_PER_BLOCK;
    }
    pf_limit_hit(PF_LIMIT_CONTEXTS);
    return 0;
}

/* Visits the positions of one frame: the site itself, then the call sites that it was inlined
 * through. */
static bool walk_site(const struct pf_func *f, uint32_t site, uint32_t folded,
                      bool (*visit)(const struct pf_position *, void *), void *arg)
{
    if (__builtin_expect(pf_rt.pc_frames, 0) && pf_pc_is_record(f))
        return pf_pc_walk(f, site, folded, visit, arg);
    for (bool last = false; !last;) {
        const struct pf_site *s = site < f->nsites ? pf_func_site(f, site) : NULL;
        const struct pf_scope *in = s ? pf_site_scope(s) : NULL;
        last = !s || !in->inlined;
        const char *func = s ? pf_rel_str(&in->func) : NULL,
                   *file = s ? pf_rel_str(&in->file) : NULL;
        struct pf_position p = {
            .func = func ? func : pf_rel_str(&f->name),
            .file = file ? file : pf_rel_str(&f->file),
            .var = s ? pf_rel_str(&s->var) : NULL,
            .merged_lines = s ? pf_rel_str(&in->merged_lines) : NULL,
            .line = s ? s->line : f->line,
            .column = s ? s->column : 0,
            .kind = s ? s->kind : PF_SITE_NONE,
            .size = s ? s->size : 0,
            .func_line = s ? in->begins : f->line,
            .folded = last && folded,
        };
        if (!visit(&p, arg))
            return false;
        if (!last)
            site = in->inlined - 1;
    }
    return true;
}

void pf_stack_walk(uint32_t id, bool (*visit)(const struct pf_position *, void *), void *arg)
{
    uint32_t b = id / IDS_PER_BLOCK;
    if (!b || b >= nblocks)
        return;
    uint32_t handle = blocks[b].node, site = blocks[b].first_site + id % IDS_PER_BLOCK;
    while (handle != root) {
        const struct pf_node *n = node_at(handle);
        const struct pf_func *f = pf_func_at(n->func);
        if (!f || !walk_site(f, site, n->folded, visit, arg))
            return;
        /* if the call site is unknown (0), this is an index past the end: only the function is
         * shown */
        site = n->call - 1;
        handle = n->parent;
    }
}

static bool is_transparent(const char *name)
{
    static const char *const names[] = {
#define PF_TRANSPARENT(name) name,
#include "pf_transparent.def"
#undef PF_TRANSPARENT
    };
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (pf_str_same(name, names[i]))
            return true;
    return false;
}

uint32_t pf_stack_function(uint32_t id)
{
    uint32_t b = id / IDS_PER_BLOCK;
    if (!b || b >= nblocks)
        return 0;
    for (uint32_t handle = blocks[b].node; handle != root; handle = node_at(handle)->parent) {
        const struct pf_func *f = pf_func_at(node_at(handle)->func);
        if (f && f->entry)
            return node_at(handle)->func;
    }
    return 0;
}

uint32_t pf_stack_flags(uint32_t id)
{
    uint32_t b = id / IDS_PER_BLOCK, flags = 0, all = PF_SITEF_BRANCH | PF_SITEF_ADDRESS;
    if (!b || b >= nblocks)
        return all;
    uint32_t handle = blocks[b].node, site = blocks[b].first_site + id % IDS_PER_BLOCK;
    for (; handle != root; handle = node_at(handle)->parent) {
        const struct pf_func *f = pf_func_at(node_at(handle)->func);
        if (!f)
            return all;
        if (f->entry)
            return flags | (site < f->nsites ? pf_func_site(f, site)->flags : all);
        if (!is_transparent(pf_rel_str(&f->name)))
            flags |= PF_SITEF_BRANCH;
        site = node_at(handle)->call - 1;
    }
    return all;
}

void pf_stack_walk_live(const struct pf_thread *t,
                        bool (*visit)(const struct pf_position *, void *), void *arg)
{
    pf_stack_walk_live_at(t, 0, visit, arg);
}

void pf_stack_walk_live_at(const struct pf_thread *t, uint32_t site,
                           bool (*visit)(const struct pf_position *, void *), void *arg)
{
    const struct pf_tls *tls = __atomic_load_n(&t->tls, __ATOMIC_RELAXED); /* fibers change it */
    const struct pf_frame *top = tls ? __atomic_load_n(&tls->frame, __ATOMIC_RELAXED) : NULL;
    if (!top || !t->context.frames ||
        (size_t)((const char *)top - (const char *)t->context.frames) > t->context.frames_size)
        return;
    while (--top > t->context.frames) {
        const struct pf_func *f = __atomic_load_n(&top->func, __ATOMIC_RELAXED);
        if (f && !walk_site(f, (site ? site : pf_frame_site(top)) - 1, 0, visit, arg))
            return;
        site = 0;
    }
}
