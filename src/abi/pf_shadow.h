/*
 * pf_shadow.h - the shadow of the target's memory: address mapping and layout of access records.
 *
 * Shared by the compiler plugin (which emits checks inline) and the runtime.
 *
 * Model:   every granule (8 aligned bytes) of the target has a cell of access records. An access
 *          record says "thread slot `sid`, in its epoch `clk`, accessed the bytes `mask` of this
 *          granule from the site with the id `id`". It is one 64-bit word that is complete by
 *          itself: a store that is lost to a concurrent one loses a record, but it never creates a
 *          wrong one.
 *
 *              63      56 55 54     45 44          25 24 23                 0
 *             +----------+--+---------+--------------+--+--------------------+
 *             |   mask   |A |   sid   |     clk      |W |         id         |
 *             +----------+--+---------+--------------+--+--------------------+
 *              8 bytes    |   10 bits     20 bits     |       24 bits
 *                         atomic access               write
 *
 *          The site id names a site in a calling context (rt/context/stack.h), or several such
 *          sites, one for each byte (rt/shadow/site_pair.h, site_per_byte.h).
 *
 *          A thread's `key` is the access record of a plain write of all 8 bytes in its current
 *          epoch, with id 0. Let x = record ^ key. The record covers (makes redundant)
 *            a write of the bytes m  if (x >> 24) is 0 outside the mask field, and 0 at m in it;
 *            a read  of the bytes m  if (x >> 25) is, likewise: a write covers a read, too.
 *          For whole granules the test is one shift and one branch.
 *
 *          Writes test cell[0], reads test cell[1]; the slow path arranges the records of a cell so
 *          that these tests are likely to succeed. A cell has four overflow words on a separate
 *          plane, which most granules never use. If the sid of cell[1] is PF_SID_REF, the word is
 *          not a record but a reference to a set of records (rt/shadow/access_set.h); a read then
 *          compares it with the thread's `read_set` word.
 */
#ifndef PF_SHADOW_H
#define PF_SHADOW_H

/* The number of address bits that select a cell. The address ranges that a Linux process uses
 * differ in these bits: non-PIE image, PIE image and heap, mappings and stacks (PF_APP_RANGES). */
#define PF_APP_BITS 43
#define PF_APP_RANGES                                                                              \
    {0, 0x050000000000ull}, {0x550000000000ull, 0x568000000000ull},                                \
        {0x768000000000ull, 0x800000000000ull}
#define PF_SHADOW_BASE 0x200000000000ull /* bit 45: above every cell offset */
#define PF_SHADOW_SIZE (1ull << (PF_APP_BITS + 1))
#define PF_CELL_SHIFT 4 /* 16 bytes per cell, one cell per 8 bytes */

/* The overflow words of a cell: at twice the cell's offset from PF_OVERFLOW_BASE, so there is room
 * for four per cell. One state byte per cell says whether they are in use (pf_cell_overflow_state
 * in rt/shadow/cell.h). While it is 0 the overflow words are ignored, whatever they contain. */
#define PF_OVERFLOW_WORDS 4
#define PF_OVERFLOW_BASE (PF_SHADOW_BASE + PF_SHADOW_SIZE)
#define PF_OVERFLOW_SIZE (2 * PF_SHADOW_SIZE)
#define PF_OVERFLOW_STATE 0x140000000000ull
#define PF_OVERFLOW_STATE_SHIFT 3
#define PF_OVERFLOW_STATE_SIZE (1ull << (PF_APP_BITS - PF_OVERFLOW_STATE_SHIFT))

/* Index of sync objects: one u32 per 8 bytes. Heap blocks: one u64 per 16 bytes
 * (rt/shadow/heap_block.c). */
#define PF_SYNC_PLANE 0x180000000000ull
#define PF_SYNC_PLANE_SIZE (1ull << (PF_APP_BITS - 1))
#define PF_BLOCK_PLANE 0x100000000000ull
#define PF_BLOCK_PLANE_SIZE (1ull << (PF_APP_BITS - 1))

/* One byte per 64 KB of all these planes: has the runtime populated these pages (rt/sys.h)? */
#define PF_PREFAULT_PLANE 0x150000000000ull
#define PF_PREFAULT_SHIFT 16
#define PF_PREFAULT_SIZE ((PF_OVERFLOW_BASE + PF_OVERFLOW_SIZE) >> PF_PREFAULT_SHIFT)

#define PF_ID_BITS 24
#define PF_ID_SITE_PAIR (1u << (PF_ID_BITS - 1)) /* plain site ids are below it */
#define PF_WRITE_BIT 24
#define PF_CLK_SHIFT 25
#define PF_CLK_BITS 20
#define PF_SID_SHIFT 45
#define PF_SID_BITS 10
#define PF_ATOMIC_BIT 55
#define PF_MASK_SHIFT 56

#define PF_SID_MASK ((1u << PF_SID_BITS) - 1)
#define PF_SID_REF PF_SID_MASK /* not a thread: the word refers to a set of records */
#define PF_SID_MAX (PF_SID_MASK - 1) /* the largest slot; 1..PF_SID_MAX - 1 are those of threads */
/* Not a thread: freed memory. Ordered with nothing, so every access conflicts with such a record;
 * clk is 1 + the number of the thread that freed it, as far as it fits. */
#define PF_SID_FREED PF_SID_MAX
#define PF_CLK_MAX ((1u << PF_CLK_BITS) - 1)

#endif
