/*
 * asm_constants.c - the constants that assembler code shares with C.
 *
 * This file is not linked. asm_constants.sh compiles it to assembler text, and turns each string
 * that begins with -> into a #define of the header asm_constants.h in the build folder.
 */
#define _GNU_SOURCE
#include "check.h"
#include "range.h"
#include "rt.h"
#include "site_per_byte.h"
#include "stack.h"
#include "store.h"
#include "sys.h"
#include <linux/futex.h>
#include <sys/mman.h>
#include <ucontext.h>

#define EMIT(name, value) __asm__ volatile(".ascii \"-> " name " %c0\"" : : "i"((int64_t)(value)))
#define CONSTANT(name, value) EMIT(#name, value)
#define VALUE(name) EMIT(#name, name)
#define GREG(name) EMIT("GREG_" #name, REG_##name * sizeof(greg_t))
#define OFFSET(name, type, field) EMIT(#name, offsetof(struct type, field))

/* A group of constants. No code calls it. */
#define GROUP(name) __attribute__((used)) static void name(void)

/* The shadow (pf_shadow.h). */
GROUP(shadow_constants)
{
    VALUE(PF_APP_BITS);
    VALUE(PF_CELL_SHIFT);
    VALUE(PF_OVERFLOW_STATE);
    VALUE(PF_OVERFLOW_STATE_SHIFT);
    /* the overflow state of a cell is at STATE_OF_CELL + (cell >> PF_CELL_SHIFT) */
    _Static_assert(PF_OVERFLOW_STATE_SHIFT + 1 == PF_CELL_SHIFT, "one byte per cell");
    CONSTANT(STATE_OF_CELL, PF_OVERFLOW_STATE - (PF_SHADOW_BASE >> PF_CELL_SHIFT));
    VALUE(PF_OVERFLOW_WORDS);
    VALUE(PF_OVERFLOW_UNUSED);
    VALUE(PF_PREFAULT_PLANE);
    VALUE(PF_PREFAULT_SHIFT);
    VALUE(PF_ID_BITS);
    VALUE(PF_WRITE_BIT);
    VALUE(PF_CLK_SHIFT);
    VALUE(PF_CLK_BITS);
    VALUE(PF_SID_SHIFT);
    VALUE(PF_SID_BITS);
    VALUE(PF_SID_MASK);
    VALUE(PF_ATOMIC_BIT);
    VALUE(PF_MASK_SHIFT);
    /* the overflow states of one cell and of two cells that a read must look at */
    CONSTANT(BLOCKING_STATES_READ, (uint8_t)PF_STATES_FOR(false));
    CONSTANT(BLOCKING_STATES_READ_TWO, (uint16_t)PF_STATES_FOR(false));
    _Static_assert((PF_SHADOW_BASE & (PF_SHADOW_BASE - 1)) == 0, "a base of one bit");
    CONSTANT(SHADOW_BASE_BIT, __builtin_ctzll(PF_SHADOW_BASE));
    /* the overflow words of a cell are at 2 * cell - OVERFLOW_DISTANCE */
    CONSTANT(OVERFLOW_DISTANCE, 2 * PF_SHADOW_BASE - PF_OVERFLOW_BASE);
}

GROUP(thread_constants)
{
    OFFSET(TLS_KEY, pf_tls, key);
    OFFSET(TLS_READ_SET, pf_tls, read_set);
    OFFSET(TLS_FRAME, pf_tls, frame);
    OFFSET(TLS_THREAD, pf_tls, thread);
    OFFSET(TLS_CLOCK, pf_tls, clock);
    OFFSET(TLS_BUDGET, pf_tls, budget);
    CONSTANT(FRAME_SIZE, sizeof(struct pf_frame));
    OFFSET(FRAME_FUNC, pf_frame, func);
    OFFSET(FRAME_CALL, pf_frame, call);
    OFFSET(FRAME_NODE, pf_frame, node);
    VALUE(PF_CALL_UNWATCHED);
    OFFSET(FUNC_NUMBER, pf_func, number);

    OFFSET(THREAD_DIRTY, pf_thread, order.dirty);
    OFFSET(THREAD_GLOBAL_ORDER_IN, pf_thread, order.global_order_in);
    OFFSET(THREAD_SITE_PAIRS, pf_thread, shadow.site_pairs.pair);
    OFFSET(THREAD_SITE_PAIR_IDS, pf_thread, shadow.site_pairs.id);
    OFFSET(THREAD_READ_SET_CACHE, pf_thread, shadow.read_set_cache);
    OFFSET(THREAD_READ_SET_MEMO, pf_thread, shadow.memo);
    OFFSET(THREAD_SET_DEBT, pf_thread, shadow.set_debt);
    OFFSET(THREAD_RECENT_CONTEXTS, pf_thread, context.recent);
    OFFSET(THREAD_SPAN_FROM, pf_thread, order.span.from);
    OFFSET(THREAD_SPAN_MORE, pf_thread, order.span.more);
    OFFSET(RT_CHECK_ONLY_THREADS, pf_rt, check_only_threads);
    OFFSET(RT_GLOBALLY_ORDERED, pf_rt, globally_ordered);
}

GROUP(site_constants)
{
    VALUE(PF_STORE_BASE);
    VALUE(PF_STORE_SHIFT);
    VALUE(PF_NODE_ROOT);
    OFFSET(NODE_BLOCKS, pf_node, block);
    CONSTANT(IDS_PER_BLOCK_BITS, __builtin_ctz(PF_IDS_PER_BLOCK));
    VALUE(PF_SITE_PAIR_CACHE_BITS);
    VALUE(PF_SITE_PAIR_HASH);
    VALUE(PF_SITE_PER_BYTE_BASE);
    VALUE(PF_SITE_PER_BYTE_MAX);
    VALUE(PF_SITE_PER_BYTE_TAG_SHIFT);
    VALUE(PF_ID_SITE_PER_BYTE);
    CONSTANT(SITE_PER_BYTE_SIZE, sizeof(struct pf_site_per_byte));
    OFFSET(SITE_PER_BYTE_TAG, pf_site_per_byte, tag);
    OFFSET(SITE_PER_BYTE_ID, pf_site_per_byte, id);
}

/* Caches of the thread. The entries of both have 16 bytes, which the code scales by a shift. */
GROUP(cache_constants)
{
    CONSTANT(READ_SET_ENTRY_BITS, __builtin_ctz(sizeof(struct pf_read_set_entry)));
    VALUE(PF_READ_SET_CACHE_SIZE);
    OFFSET(READ_SET_ENTRY_REF, pf_read_set_entry, ref);
    OFFSET(READ_SET_ENTRY_RECORD, pf_read_set_entry, record);
    VALUE(PF_READ_SET_MEMO_BITS);
    VALUE(PF_READ_SET_MEMO_HASH);
    VALUE(PF_READ_SET_MEMO_SHIFT);
    VALUE(PF_READ_SET_POPULAR);
    CONSTANT(READ_SET_MEMO_SIZE, sizeof(struct pf_read_set_memo));
    OFFSET(READ_SET_MEMO_FROM, pf_read_set_memo, from);
    OFFSET(READ_SET_MEMO_WITH, pf_read_set_memo, with);
    OFFSET(READ_SET_MEMO_TO, pf_read_set_memo, to);
    OFFSET(ACCESS_SET_USES, pf_access_set, uses);
    CONSTANT(RECENT_CONTEXT_ENTRY_BITS, __builtin_ctz(sizeof(struct pf_recent_context)));
    VALUE(PF_RECENT_CONTEXT_BITS);
    VALUE(PF_RECENT_CONTEXT_PARENT);
    VALUE(PF_RECENT_CONTEXT_HASH);
    VALUE(PF_RECENT_CONTEXT_FUNC);
    /* it compares and loads two words at a time */
    OFFSET(RECENT_CONTEXT_PARENT_CALL, pf_recent_context, parent);
    OFFSET(RECENT_CONTEXT_FUNC_NODE, pf_recent_context, func);
    _Static_assert(offsetof(struct pf_recent_context, call) ==
                           offsetof(struct pf_recent_context, parent) + 4 &&
                       offsetof(struct pf_recent_context, node) ==
                           offsetof(struct pf_recent_context, func) + 4,
                   "two pairs of words");
}

/* Signal frames, and blocks of registers in the order of their gregs: byte offsets. */
GROUP(register_constants)
{
    CONSTANT(UCONTEXT_GREGS, offsetof(ucontext_t, uc_mcontext.gregs));
    GREG(R8);
    GREG(R9);
    GREG(R10);
    GREG(R11);
    GREG(R12);
    GREG(R13);
    GREG(R14);
    GREG(R15);
    GREG(RDI);
    GREG(RSI);
    GREG(RBP);
    GREG(RBX);
    GREG(RDX);
    GREG(RAX);
    GREG(RCX);
    GREG(RSP);
    GREG(RIP);
    VALUE(PF_STACK_RED_ZONE);
}

GROUP(call_constants)
{
    /* the last argument of the slow path */
    VALUE(PF_CHECK_WRITE);
    /* system calls; the kernel's headers of these cannot be included in assembler code */
    VALUE(FUTEX_WAKE_PRIVATE);
    VALUE(MADV_POPULATE_WRITE);
    VALUE(PF_REWIND_CALLS);
}
