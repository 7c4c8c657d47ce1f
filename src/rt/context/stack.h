/*
 * stack.h - calling contexts and site ids.
 *
 * Model:   a calling context is a node of a tree: (parent node, call site in the parent, function).
 *          Nodes are computed lazily from the shadow stack. A node allocates the ids of its sites
 *          in blocks of 16. So a plain site id identifies (node, site), and the whole stack can
 *          always be reconstructed from it.
 * Memory:  the runtime's store; nodes are never freed.
 * Threads: lock-free lookup; one lock for new nodes and blocks.
 * Errors:  when ids run out, the loss is counted and the id is 0 ("unknown stack").
 */
#ifndef PF_RT_STACK_H
#define PF_RT_STACK_H

#include "hooks.h"
#include "store.h"
#include "thread.h"

#define PF_NODE_ROOT 1u /* the node of a thread's bottom frame, which has no function */

bool pf_stack_init(void); /* false: no address space */
void pf_stack_lock(void); /* around fork */
void pf_stack_unlock(void);

#define PF_IDS_PER_BLOCK 16u

struct pf_node {
    uint32_t parent;  /* nodes are identified by their store handles */
    uint32_t call;    /* call site + 1 in the parent's function */
    uint32_t func;    /* function number; 0 only in the root */
    uint32_t nblocks;
    uint32_t folded;  /* 1: also stands for deeper recursion */
    uint32_t unused;
    uint32_t block[]; /* for each 16 sites: their first id; 0 until one is needed */
};

/* The id of a site of the running function, by the slow path: computes missing nodes and ids. */
uint32_t pf_stack_id_slow(uint32_t site);

/* The id of site `site` of the running function (frame[-1]) if both its node and its block of ids
 * exist already; else 0. */
static inline uint32_t pf_stack_id_resolved(uint32_t site)
{
    uint32_t handle = __pf_tls.frame[-1].node;
    if (__builtin_expect(handle <= PF_NODE_ROOT, 0))
        return 0;
    const struct pf_node *n = pf_store_at(handle);
    uint32_t id = __atomic_load_n(&n->block[site / PF_IDS_PER_BLOCK], __ATOMIC_ACQUIRE);
    return __builtin_expect(id != 0, 1) ? id | site % PF_IDS_PER_BLOCK : 0; /* blocks are aligned */
}

/* The multipliers of the hash below. */
#define PF_RECENT_CONTEXT_PARENT 31u
#define PF_RECENT_CONTEXT_HASH 0x9e3779b9u
#define PF_RECENT_CONTEXT_FUNC 0x85ebca6bu

/* The entry of the thread's cache of recent contexts for a call of `func` at the site `call` of
 * node `parent`. */
static inline struct pf_recent_context *pf_recent_context_slot(struct pf_thread *t, uint32_t parent,
                                                               uint32_t call, uint32_t func)
{
    uint32_t hash = (parent * PF_RECENT_CONTEXT_PARENT + call) * PF_RECENT_CONTEXT_HASH +
                    func * PF_RECENT_CONTEXT_FUNC;
    return &t->context.recent[hash >> (32 - PF_RECENT_CONTEXT_BITS)];
}

/* Computes the node of the running function, whose frame has none yet, from the thread's cache of
 * recent contexts. Fills in the nodes of all frames between it and the nearest frame that has one.
 * Returns 0 if one of the calls is not in the cache. Written in node_recent.S. */
uint32_t pf_stack_node_recent(void);

/* pf_stack_id_resolved for a frame without a node, using the cache of recent contexts; 0 if that
 * fails. */
static inline uint32_t pf_stack_id_recent(uint32_t site)
{
    return !__pf_tls.frame[-1].node && pf_stack_node_recent() ? pf_stack_id_resolved(site) : 0;
}

/* The id of site `site` of the running function, computed on the slow path if necessary; 0 only
 * when a limit was reached. */
static inline uint32_t pf_stack_id(struct pf_thread *t, uint32_t site)
{
    uint32_t id = pf_stack_id_resolved(site);
    (void)t;
    if (!id) {
        if (__builtin_expect(__pf_tls.dispatch == PF_DISPATCH_EVENT, 0))
            pf_hooks.context_wanted();
        id = pf_stack_id_recent(site);
    }
    return __builtin_expect(id != 0, 1) ? id : pf_stack_id_slow(site);
}

/* One source position of a stack. Stacks are listed from the innermost position outwards. */
struct pf_position {
    const char *func, *file, *var;
    const char *merged_lines; /* further lines of a merged access, see pf_scope; NULL: none */
    uint32_t line, column, kind, size;
    uint32_t func_line; /* first line of the function; 0: unknown */
    bool folded; /* also stands for deeper recursion of the same call */
};
/* Calls f for each position of the stack of a plain site id, inlined functions included; stops when
 * f returns false. */
void pf_stack_walk(uint32_t id, bool (*f)(const struct pf_position *, void *), void *arg);
/* The number of the compiled function that a plain site id belongs to; for a site of an interposed
 * function: of its caller. 0: unknown. */
uint32_t pf_stack_function(uint32_t id);
/* How the event at a site id may depend on earlier reads of its thread: enum pf_site_flags. In
 * case of doubt a flag is set. For an interposed function: how its call may depend on them. */
uint32_t pf_stack_flags(uint32_t id);
/* pf_stack_walk for the current stack of t. t keeps running, so positions near the top may be
 * inconsistent. Must be called from within pf_thread_each, so that t does not end meanwhile. */
void pf_stack_walk_live(const struct pf_thread *t, bool (*f)(const struct pf_position *, void *),
                        void *arg);
/* The same. `site`: 1 + the number of the site at which the innermost function is; 0: at its last
 * call. */
void pf_stack_walk_live_at(const struct pf_thread *t, uint32_t site,
                           bool (*f)(const struct pf_position *, void *), void *arg);

/* Interposed functions have frames on the shadow stack, so that reports show "#0 memcpy".
 * PF_NATIVE(name) defines, at file scope, the function record `pf_native_<name>` with one site of
 * each kind of enum pf_native_site. PF_NATIVE_AS gives it another name in reports, such as
 * "operator new(unsigned long)". */
enum pf_native_site {
    PF_NATIVE_READ,
    PF_NATIVE_WRITE,
    PF_NATIVE_CALL,
    PF_NATIVE_FREE,
    PF_NATIVE_LOCK,
    PF_NATIVE_ATOMIC_READ,
    PF_NATIVE_ATOMIC_WRITE,
    PF_NATIVE_SITES
};
_Static_assert(sizeof(struct pf_scope) == 20 && sizeof(struct pf_site) == 16,
               "the assembler code below writes both");
/* clang-format off */
#define PF_NATIVE_SITE_(kind, name)                                                                \
    ".long 7b - ., 0, 0\n .short 0\n .byte 0, " kind "\n"
#define PF_NATIVE_AS(symbol, text)                                                                 \
    extern struct pf_func pf_native_##symbol __attribute__((visibility("hidden")));                \
    __asm__(".pushsection .rodata.pf_native,\"a\"\n"                                               \
            "9: .asciz \"" text "\"\n"                                                             \
            ".balign 4\n"                                                                          \
            "7: .long 0, 9b - ., 0, 0, 0\n"                                                        \
            "8:\n" PF_NATIVE_SITE_("1", symbol) PF_NATIVE_SITE_("2", symbol)                       \
                PF_NATIVE_SITE_("6", symbol) PF_NATIVE_SITE_("8", symbol)                          \
                PF_NATIVE_SITE_("7", symbol) PF_NATIVE_SITE_("3", symbol)                          \
                PF_NATIVE_SITE_("4", symbol)                                                       \
            ".popsection\n"                                                                        \
            ".pushsection .data.pf_native,\"aw\"\n"                                                \
            ".balign 8\n"                                                                          \
            ".globl pf_native_" #symbol "\n .hidden pf_native_" #symbol "\n"                       \
            "pf_native_" #symbol ":\n"                                                             \
            ".long 9b - ., 0, 8b - ., 7, 0, 0\n .quad 0, 0\n"                                      \
            ".popsection\n")
/* clang-format on */
#define PF_NATIVE(name) PF_NATIVE_AS(name, #name)

static inline void pf_stack_push(struct pf_func *f)
{
    struct pf_frame *fr = __pf_tls.frame++;
    fr->func = f;
    fr->call = fr[-1].call & PF_CALL_UNWATCHED; /* it acts on behalf of its caller */
    fr->node = 0;
}
/* True if accesses of the function on top are checked: not if it runs its plain body, or acts on
 * behalf of a plain body. */
static inline bool pf_stack_watched(void) { return !(__pf_tls.frame[-1].call & PF_CALL_UNWATCHED); }
static inline void pf_stack_pop(void) { __pf_tls.frame--; }

#endif
