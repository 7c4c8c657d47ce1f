/*
 * stack.h - calling contexts: what a statement's 24-bit id stands for.
 *
 * Model:   nodes of a calling-context tree (parent node, call site in the parent, function), found
 *          lazily from the shadow stack. A node gives out ids for its sites in blocks of 16, so an
 *          id is (node, site) and the whole stack can be told from it, always.
 * Memory:  the runtime's store; nodes live for ever.
 * Threads: lock-free reads; one lock for new nodes and blocks.
 * Errors:  when ids run out the loss is counted and the id is 0 ("unknown stack").
 */
#ifndef PF_RT_STACK_H
#define PF_RT_STACK_H

#include "store.h"
#include "thread.h"

#define PF_NODE_ROOT 1u /* the context of a thread before its first function */

void pf_stack_init(void);
void pf_stack_lock(void); /* around fork */
void pf_stack_unlock(void);

#define PF_IDS_PER_BLOCK 16u

struct pf_node {
    uint32_t parent;  /* names of nodes are store names */
    uint32_t call;    /* site + 1 in the parent's function */
    uint32_t func;    /* number of the function, 0 only in the root */
    uint32_t nblocks;
    uint32_t folded;  /* stands for deeper recursion too */
    uint32_t unused;
    uint32_t block[]; /* first id of each 16 sites, 0 while none is needed */
};

uint32_t pf_stack_id_slow(uint32_t site);

/* The id of site `site` of the function that runs now (frame[-1]) if it was needed before, else 0. */
static inline uint32_t pf_stack_id_known(uint32_t site)
{
    uint32_t name = __pf_tls.frame[-1].node;
    if (__builtin_expect(name <= PF_NODE_ROOT, 0))
        return 0;
    const struct pf_node *n = pf_store_at(name);
    uint32_t id = __atomic_load_n(&n->block[site / PF_IDS_PER_BLOCK], __ATOMIC_ACQUIRE);
    return __builtin_expect(id != 0, 1) ? id | site % PF_IDS_PER_BLOCK : 0; /* blocks are aligned */
}

static inline struct pf_path *pf_path_slot(struct pf_thread *t, uint32_t parent, uint32_t call,
                                           uint32_t func)
{
    return &t->paths[((parent * 31u + call) * 0x9e3779b9u + func * 0x85ebca6bu) >>
                     (32 - PF_PATH_BITS)];
}

/* The node of the frame on top, which has none yet, if the calls that lead to it from the nearest frame that has
 * one were all met lately: then all of these have theirs. Else 0. In check_entry.S. */
uint32_t pf_stack_near(void);

/* pf_stack_id_known where the calling context is not known to the frame yet, but was met lately. */
static inline uint32_t pf_stack_id_near(uint32_t site)
{
    return !__pf_tls.frame[-1].node && pf_stack_near() ? pf_stack_id_known(site) : 0;
}

/* The same, found if need be; 0 only when a limit was reached. */
static inline uint32_t pf_stack_id(struct pf_thread *t, uint32_t site)
{
    uint32_t id = pf_stack_id_known(site);
    (void)t;
    if (!id)
        id = pf_stack_id_near(site);
    return __builtin_expect(id != 0, 1) ? id : pf_stack_id_slow(site);
}

/* One source position of a stack, innermost first. */
struct pf_position {
    const char *func, *file, *var;
    uint32_t line, column, kind, size;
    uint32_t func_line; /* where the function begins; 0: not known */
    bool folded; /* stands for deeper recursion of the same call too */
};
/* Calls f for each position of the stack of `id`, inlined functions included; stops when f
 * returns false. */
void pf_stack_walk(uint32_t id, bool (*f)(const struct pf_position *, void *), void *arg);
/* Where the event of `id` may depend on what its thread read: enum pf_site_flags, rather too many. Of
 * an interposed function: where its call stands. */
uint32_t pf_stack_flags(uint32_t id);
/* pf_stack_walk for the stack that t has now. t runs on meanwhile, so what is near the top may be a mixture of
 * before and after; from inside pf_thread_each, so that it does not end. */
void pf_stack_walk_live(const struct pf_thread *t, bool (*f)(const struct pf_position *, void *),
                        void *arg);

/*
 * Interposed functions stand on the stack as functions of their own, so that reports say
 * "#0 memcpy". PF_NATIVE(name) defines, at file scope, the record `pf_native_<name>` with a site
 * of each kind: PF_NATIVE_READ, _WRITE, _CALL, _FREE, _LOCK. PF_NATIVE_AS: under another name,
 * "operator new(unsigned long)".
 */
enum pf_native_site {
    PF_NATIVE_READ,
    PF_NATIVE_WRITE,
    PF_NATIVE_CALL,
    PF_NATIVE_FREE,
    PF_NATIVE_LOCK,
    PF_NATIVE_SITES
};
/* clang-format off */
#define PF_NATIVE_SITE_(kind, name)                                                                \
    ".long 7b - ., 0, 0\n .short 0\n .byte 0, " kind "\n"
#define PF_NATIVE_AS(symbol, text)                                                                 \
    extern struct pf_func pf_native_##symbol __attribute__((visibility("hidden")));                \
    __asm__(".pushsection .rodata.pf_native,\"a\"\n"                                               \
            "9: .asciz \"" text "\"\n"                                                             \
            ".balign 4\n"                                                                          \
            "7: .long 0, 9b - ., 0, 0\n"                                                           \
            "8:\n" PF_NATIVE_SITE_("1", symbol) PF_NATIVE_SITE_("2", symbol)                       \
                PF_NATIVE_SITE_("6", symbol) PF_NATIVE_SITE_("8", symbol)                          \
                PF_NATIVE_SITE_("7", symbol)                                                       \
            ".popsection\n"                                                                        \
            ".pushsection .data.pf_native,\"aw\"\n"                                                \
            ".balign 8\n"                                                                          \
            ".globl pf_native_" #symbol "\n .hidden pf_native_" #symbol "\n"                       \
            "pf_native_" #symbol ":\n"                                                             \
            ".long 9b - ., 0, 8b - ., 5, 0, 0\n .quad 0, 0\n"                                      \
            ".popsection\n")
/* clang-format on */
#define PF_NATIVE(name) PF_NATIVE_AS(name, #name)

static inline void pf_stack_push(struct pf_func *f)
{
    struct pf_frame *fr = __pf_tls.frame++;
    fr->func = f;
    fr->call = fr[-1].call & PF_CALL_UNWATCHED; /* it acts for its caller */
    fr->node = 0;
}
/* Do the accesses of the function on top count? Not if it runs its plain body, or acts for one. */
static inline bool pf_stack_watched(void) { return !(__pf_tls.frame[-1].call & PF_CALL_UNWATCHED); }
static inline void pf_stack_pop(void) { __pf_tls.frame--; }

#endif
