/*
 * pf_shadow.h - the shadow of the target's memory: address mapping and statement layout.
 *
 * Shared by the compiler plugin (which emits checks inline) and the runtime.
 *
 * Model:   every 8-byte granule of the target owns a cell of statements. A statement says
 *          "thread slot `sid`, in its epoch `clk`, accessed the bytes `mask` of this granule from
 *          the calling context and site `id`". It is one 64-bit word, complete in itself: a lost
 *          store loses a statement, it can never make a false one.
 *
 *              63      56 55 54     45 44          25 24 23                 0
 *             +----------+--+---------+--------------+--+--------------------+
 *             |   mask   |A |   sid   |     clk      |W |         id         |
 *             +----------+--+---------+--------------+--+--------------------+
 *              8 bytes    |   10 bits     20 bits     |       24 bits
 *                         atomic access               write
 *
 *          A thread's `key` is the statement of a plain write to all 8 bytes in its current epoch
 *          with id 0. With x = statement ^ key, an earlier statement of this epoch covers
 *            a write of the bytes m:  (x >> 24) has no bit set outside of mask, and none of m in it
 *            a read  of the bytes m:  (x >> 25) likewise (a write covers a read)
 *          For whole granules that is one shift and a branch.
 *
 *          Writes look at cell[0], reads at cell[1]; the slow path arranges the cell so that these
 *          are the likely hits. Four more words of the cell are on a plane of their own, which most
 *          granules never need. A cell[1] whose sid is PF_SID_REF refers to a record with more
 *          statements (see rt/shadow/cell.h); a read may also compare it with the thread's `shared` word.
 */
#ifndef PF_SHADOW_H
#define PF_SHADOW_H

/* Address bits that select a cell. The parts of the address space that a Linux process uses differ
 * in these: non-PIE image, PIE image and heap, mappings and stacks (PF_APP_RANGES). */
#define PF_APP_BITS 43
#define PF_APP_RANGES                                                                              \
    {0, 0x050000000000ull}, {0x550000000000ull, 0x568000000000ull},                                \
        {0x768000000000ull, 0x800000000000ull}
#define PF_SHADOW_BASE 0x200000000000ull /* bit 45: above every cell offset */
#define PF_SHADOW_SIZE (1ull << (PF_APP_BITS + 1))
#define PF_CELL_SHIFT 4 /* 16 bytes a cell, one cell for 8 bytes */

/* The other words of a cell: at twice the distance from here. One byte for each cell says whether
 * they count; where it is 0 they are nothing, whatever they hold. */
#define PF_MORE_WORDS 4
#define PF_MORE_BASE (PF_SHADOW_BASE + PF_SHADOW_SIZE)
#define PF_MORE_SIZE (2 * PF_SHADOW_SIZE)
#define PF_MORE_USED 0x140000000000ull
#define PF_MORE_USED_SHIFT 3
#define PF_MORE_USED_SIZE (1ull << (PF_APP_BITS - PF_MORE_USED_SHIFT))

/* Index of sync objects: one u32 for 8 bytes. Heap blocks: one u64 for 16 bytes (rt/shadow/heap_block.c). */
#define PF_SYNC_PLANE 0x180000000000ull
#define PF_SYNC_PLANE_SIZE (1ull << (PF_APP_BITS - 1))
#define PF_BLOCK_PLANE 0x100000000000ull
#define PF_BLOCK_PLANE_SIZE (1ull << (PF_APP_BITS - 1))

/* One byte for each 64 KB of these planes: were they used (rt/sys.h)? */
#define PF_READY_PLANE 0x150000000000ull
#define PF_READY_SHIFT 16
#define PF_READY_SIZE ((PF_MORE_BASE + PF_MORE_SIZE) >> PF_READY_SHIFT)

#define PF_ID_BITS 24
#define PF_WRITE_BIT 24
#define PF_CLK_SHIFT 25
#define PF_CLK_BITS 20
#define PF_SID_SHIFT 45
#define PF_SID_BITS 10
#define PF_ATOMIC_BIT 55
#define PF_MASK_SHIFT 56

#define PF_SID_REF 1023u /* not a thread: the word refers to a record */
#define PF_SID_MAX 1022u /* slots 1..PF_SID_MAX are threads; 0 is nobody */
#define PF_CLK_MAX ((1u << PF_CLK_BITS) - 1)

#endif
