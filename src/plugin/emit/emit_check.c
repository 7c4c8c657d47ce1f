/*
 * emit_check.c - checks of plain accesses.
 *
 * In a hot loop, the check of a small access is emitted inline (pf_shadow.h explains the tests):
 *
 *      cell  = PF_SHADOW_BASE + granule number of the address * 16 (CELL)
 *      word  = cell[0] for writes, cell[1] for reads
 *      x     = word ^ the thread's key
 *      if (x & relevant bits) == 0, a record of this epoch makes the access redundant. For an
 *      access smaller than a granule, a test without a shift comes first: does the record cover
 *      all 8 bytes? (In arrays it usually does.)
 *      else, for a read: redundant if word == the thread's read_set
 *      else call the runtime
 *
 * Elsewhere the call alone is smaller and costs little. The runtime's entry points for this
 * preserve all registers, so that a call on the slow path does not disturb the code around it.
 * Shadow words are loaded as `unordered` atomics: other threads write them, and LLVM must neither
 * split nor duplicate the load.
 */
#include "debuginfo.h"
#include "emit.h"
#include "pf_shadow.h"

#define GRANULE 8
#define CELL (1 << PF_CELL_SHIFT)
#define CELLS_SHIFT (PF_CELL_SHIFT - 3) /* log2 of the bytes of cells for one byte of memory */
#define LINE 64 /* of the cache */

static bool is_small(uint64_t size) { return size == 1 || size == 2 || size == 4 || size == 8; }

/* True if the runtime has an entry point for this size and alignment. There is one for two whole
 * granules, too. */
static bool has_entry(uint64_t size, uint32_t align)
{
    return is_small(size) ? align >= size : size == 2 * GRANULE && align >= GRANULE;
}

#define ENTRIES(kind, what)                                                                        \
    {[1] = PF_E___pf_##kind##1##what,                                                              \
     [2] = PF_E___pf_##kind##2##what,                                                              \
     [4] = PF_E___pf_##kind##4##what,                                                              \
     [8] = PF_E___pf_##kind##8##what,                                                              \
     [16] = PF_E___pf_##kind##16##what}

/* `missed`: the fast path was inline and did not succeed. */
static void call_check(struct pf_emit *e, LLVMValueRef ptr, uint64_t size, bool entry, bool write,
                       bool missed, uint32_t site)
{
    static const enum pf_entry whole[2][17] = {ENTRIES(read, ), ENTRIES(write, )};
    static const enum pf_entry after_miss[2][17] = {ENTRIES(read, _miss), ENTRIES(write, _miss)};
    if (entry) {
        LLVMValueRef args[] = {ptr, pf_emit_number(e, site)};
        pf_emit_call(e, (missed ? after_miss : whole)[write][size], args);
    } else {
        LLVMValueRef args[] = {ptr, LLVMConstInt(e->u->i64, size, 0), pf_emit_number(e, site)};
        pf_emit_call(e, write ? PF_E___pf_write_range : PF_E___pf_read_range, args);
    }
}

static LLVMValueRef build_and(struct pf_emit *e, LLVMValueRef a, uint64_t bits)
{
    return LLVMBuildAnd(e->b, a, LLVMConstInt(e->u->i64, bits, 0), "");
}

static unsigned lowest_bit(bool write) { return write ? PF_WRITE_BIT : PF_CLK_SHIFT; }

/* The bits of (access record ^ key) that must be 0. */
static LLVMValueRef relevant_bits(struct pf_emit *e, LLVMValueRef addr, uint64_t size, bool write)
{
    LLVMTypeRef i64 = e->u->i64;
    unsigned low = lowest_bit(write);
    uint64_t same = (1ull << PF_MASK_SHIFT) - (1ull << low);
    if (size >= GRANULE)
        return LLVMConstInt(i64, -(1ull << low), 0);
    LLVMValueRef bytes = LLVMConstInt(i64, ((1ull << size) - 1) << PF_MASK_SHIFT, 0);
    LLVMValueRef mask = LLVMBuildShl(e->b, bytes, build_and(e, addr, GRANULE - 1), "");
    return LLVMBuildOr(e->b, mask, LLVMConstInt(i64, same, 0), "");
}

/* Loads a word of the cell, or of the next one. */
static LLVMValueRef shadow_word(struct pf_emit *e, LLVMValueRef cell, unsigned offset)
{
    LLVMValueRef at = LLVMConstInt(e->u->i64, PF_SHADOW_BASE + offset, 0);
    at = LLVMBuildIntToPtr(e->b, LLVMBuildAdd(e->b, cell, at, ""), e->u->ptr, "");
    LLVMValueRef word = LLVMBuildLoad2(e->b, e->u->i64, at, "");
    LLVMSetOrdering(word, LLVMAtomicOrderingUnordered);
    LLVMSetAlignment(word, 8);
    return word;
}

/* The inline check, as described at the top of the file. entry: the size and alignment have an
 * entry point; otherwise an access that leaves its granule is checked as a range. */
static void inline_check(struct pf_emit *e, LLVMValueRef ptr, uint64_t size, bool entry, bool write,
                         uint32_t site)
{
    struct pf_unit *u = e->u;
    LLVMBasicBlockRef slow = pf_emit_block(e), done = pf_emit_block(e);
    LLVMValueRef addr = pf_emit_map_later(e, LLVMBuildPtrToInt(e->b, ptr, u->i64, ""));
    if (!entry) { /* the fast path is for accesses inside one granule, or of exactly two */
        LLVMBasicBlockRef inside = pf_emit_block(e), straddling = pf_emit_block(e);
        LLVMValueRef at = build_and(e, addr, GRANULE - 1);
        LLVMValueRef most = LLVMConstInt(u->i64, size > GRANULE ? 0 : GRANULE - size, 0);
        pf_emit_branch(e, LLVMBuildICmp(e->b, LLVMIntULE, at, most, ""), inside, straddling, false);
        LLVMPositionBuilderAtEnd(e->b, straddling);
        call_check(e, ptr, size, false, write, false, site);
        LLVMBuildBr(e->b, done);
        LLVMPositionBuilderAtEnd(e->b, inside);
    }
    uint64_t granules = ((1ull << PF_APP_BITS) - GRANULE) << CELLS_SHIFT;
    LLVMValueRef cell =
        build_and(e, LLVMBuildShl(e->b, addr, LLVMConstInt(u->i64, CELLS_SHIFT, 0), ""), granules);
    LLVMValueRef word = shadow_word(e, cell, write ? 0 : 8), second_word = NULL;
    LLVMValueRef key =
        LLVMBuildLoad2(e->b, u->i64, pf_emit_tls(e, offsetof(struct pf_tls, key)), "");
    LLVMValueRef differs = LLVMBuildXor(e->b, word, key, "");
    if (size > GRANULE) {
        second_word = shadow_word(e, cell, CELL + (write ? 0 : 8));
        differs = LLVMBuildOr(e->b, differs, LLVMBuildXor(e->b, second_word, key, ""), "");
    }
    if (size < GRANULE) {
        LLVMBasicBlockRef part = pf_emit_block(e);
        LLVMValueRef least = LLVMConstInt(u->i64, 1ull << lowest_bit(write), 0);
        pf_emit_branch(e, LLVMBuildICmp(e->b, LLVMIntULT, differs, least, ""), done, part, true);
        LLVMPositionBuilderAtEnd(e->b, part);
    }
    differs = LLVMBuildAnd(e->b, differs, relevant_bits(e, addr, size, write), "");
    LLVMValueRef zero = LLVMConstInt(u->i64, 0, 0);
    LLVMValueRef hit = LLVMBuildICmp(e->b, LLVMIntEQ, differs, zero, "");
    if (write) {
        pf_emit_branch(e, hit, done, slow, true);
    } else {
        LLVMBasicBlockRef second = pf_emit_block(e);
        pf_emit_branch(e, hit, done, second, true);
        LLVMPositionBuilderAtEnd(e->b, second);
        LLVMValueRef shared =
            LLVMBuildLoad2(e->b, u->i64, pf_emit_tls(e, offsetof(struct pf_tls, read_set)), "");
        LLVMValueRef same = LLVMBuildICmp(e->b, LLVMIntEQ, word, shared, "");
        if (second_word)
            same = LLVMBuildAnd(e->b, same, LLVMBuildICmp(e->b, LLVMIntEQ, second_word, shared, ""),
                                "");
        pf_emit_branch(e, same, done, slow, false);
    }
    LLVMPositionBuilderAtEnd(e->b, slow);
    call_check(e, ptr, size, true, write, true, site);
    LLVMBuildBr(e->b, done);
    LLVMPositionBuilderAtEnd(e->b, done);
}

static void check(struct pf_emit *e, LLVMValueRef ptr, uint64_t size, uint32_t align, bool write,
                  bool loop, uint32_t site)
{
    bool entry = has_entry(size, align);
    enum pf_inline how = e->u->inlining;
    bool inlined = how == PF_INLINE_ALL || (how == PF_INLINE_LOOPS && loop);
    if (inlined && (is_small(size) || size == 2 * GRANULE))
        inline_check(e, ptr, size, entry, write, site);
    /* a vector: check both halves */
    else if (inlined && (size == 4 * GRANULE || size == 8 * GRANULE))
        for (unsigned half = 0; half < 2; half++) {
            LLVMValueRef at = LLVMConstInt(e->u->i64, size / 2, 0), part = ptr;
            if (half)
                part = pf_emit_map_later(e, LLVMBuildGEP2(e->b, e->u->i8, ptr, &at, 1, ""));
            check(e, part, size / 2, align, write, loop, site);
        }
    else
        call_check(e, ptr, size, entry, write, false, site);
}

/* Checks the bytes of several accesses (merge_adjacent.c): in a hot loop in pieces, else as a
 * range. */
static void check_span(struct pf_emit *e, const struct pf_plan_step *s, uint32_t site)
{
    for (uint32_t done = 0, n; done < s->span; done += n) {
        for (n = 8 * GRANULE; n > s->span - done;)
            n /= 2;
        if (!s->loop)
            n = s->span;
        uint32_t align = done % s->span_align ? 1 : s->span_align;
        LLVMValueRef at = LLVMConstInt(e->u->i64, (uint64_t)(s->span_at + (int64_t)done), 1);
        LLVMValueRef ptr = pf_emit_map_later(e, LLVMBuildGEP2(e->b, e->u->i8, s->ptr, &at, 1, ""));
        check(e, ptr, n, align, s->write, s->loop, site);
    }
}

const char *pf_emit_variable(struct pf_emit *e, const struct pf_plan_step *s)
{
    return pf_is_vtable_access(e->u, s->inst) ? PF_VTABLE_POINTER : pf_di_variable(e->u, s->ptr);
}

/* The site of a check. It has no flags: they describe events. With flags, the copies of one access
 * in an unrolled loop would have different sites, and their records could not become one without
 * a site pair. */
static uint32_t check_site(struct pf_emit *e, const struct pf_plan_step *s)
{
    e->flags = 0;
    return pf_emit_site(e, s->inst, s->write ? PF_SITE_WRITE : PF_SITE_READ, s->size,
                        pf_emit_variable(e, s));
}

void pf_emit_access(struct pf_emit *e, const struct pf_plan_step *s)
{
    uint32_t site = check_site(e, s);
    if (s->span)
        check_span(e, s, site);
    else
        check(e, s->ptr, s->size, s->align, s->write, s->loop, site);
}

void pf_emit_past_access(struct pf_emit *e, const struct pf_plan_step *s)
{
    call_check(e, s->ptr, s->size, has_entry(s->size, s->align), s->write, false, check_site(e, s));
}

void pf_emit_vptr(struct pf_emit *e, const struct pf_plan_step *s)
{
    uint32_t site = pf_emit_site(e, s->inst, PF_SITE_WRITE, s->size, PF_VTABLE_POINTER);
    LLVMValueRef args[] = {s->ptr, LLVMGetOperand(s->inst, 0), pf_emit_number(e, site)};
    pf_emit_call(e, PF_E___pf_write_vptr, args);
}

/* A program that prefetches is limited by its cache misses, and each of them also causes misses in
 * the shadow: a line of 64 bytes has two lines of cells and eight state bytes. */
void pf_emit_prefetch(struct pf_emit *e, LLVMValueRef inst)
{
    struct pf_unit *u = e->u;
    LLVMValueRef fn = pf_callee(inst);
    if (!fn || LLVMGetIntrinsicID(fn) != u->kinds.prefetch || !e->plan->accesses ||
        LLVMConstIntGetZExtValue(LLVMGetOperand(inst, 3)) == 0) /* an instruction prefetch */
        return;
    LLVMValueRef ptr = LLVMGetOperand(inst, 0);
    if (pf_memory_is_unchecked(u, ptr))
        return;
    LLVMValueRef addr = pf_emit_map_later(e, LLVMBuildPtrToInt(e->b, ptr, u->i64, ""));
    LLVMValueRef line = build_and(e, addr, (1ull << PF_APP_BITS) - LINE);
    LLVMValueRef cells = LLVMBuildShl(e->b, line, LLVMConstInt(u->i64, CELLS_SHIFT, 0), "");
    LLVMValueRef marks =
        LLVMBuildLShr(e->b, line, LLVMConstInt(u->i64, PF_OVERFLOW_STATE_SHIFT, 0), "");
    /* Also prefetch the overflow words of the 32 bytes around the address: two lines. */
    LLVMValueRef half = build_and(e, addr, (1ull << PF_APP_BITS) - LINE / 2);
    LLVMValueRef more = LLVMBuildShl(e->b, half, LLVMConstInt(u->i64, CELLS_SHIFT + 1, 0), "");
    struct {
        LLVMValueRef from;
        uint64_t base;
    } wanted[] = {{cells, PF_SHADOW_BASE},
                  {cells, PF_SHADOW_BASE + LINE},
                  {marks, PF_OVERFLOW_STATE},
                  {more, PF_OVERFLOW_BASE},
                  {more, PF_OVERFLOW_BASE + LINE}};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++) {
        LLVMValueRef base = LLVMConstInt(u->i64, wanted[i].base, 0);
        LLVMValueRef at = LLVMBuildAdd(e->b, wanted[i].from, base, "");
        LLVMValueRef args[] = {LLVMBuildIntToPtr(e->b, at, u->ptr, ""), LLVMGetOperand(inst, 1),
                               LLVMGetOperand(inst, 2), LLVMGetOperand(inst, 3)};
        LLVMBuildCall2(e->b, LLVMGlobalGetValueType(fn), fn, args, 4, "");
    }
}

void pf_emit_range(struct pf_emit *e, LLVMValueRef inst, LLVMValueRef ptr, LLVMValueRef size,
                   bool write)
{
    if (e->event) {
        pf_event_range(e, inst, ptr, size, write, NULL);
        return;
    }
    uint64_t n = LLVMIsAConstantInt(size) ? LLVMConstIntGetZExtValue(size) : 0;
    uint32_t site =
        pf_emit_site(e, inst, write ? PF_SITE_WRITE : PF_SITE_READ, n, pf_di_variable(e->u, ptr));
    if (LLVMTypeOf(size) != e->u->i64)
        size = pf_emit_map_later(e, LLVMBuildIntCast2(e->b, size, e->u->i64, 0, ""));
    LLVMValueRef args[] = {ptr, size, pf_emit_number(e, site)};
    pf_emit_call(e, write ? PF_E___pf_write_range : PF_E___pf_read_range, args);
}

/* Checks one side of a copy. In a hot loop, a copy of a vector's size is checked like a vector. */
static void emit_side(struct pf_emit *e, const struct pf_plan_step *s, unsigned operand, bool write)
{
    LLVMValueRef ptr = LLVMGetOperand(s->inst, operand);
    bool vector = s->size && s->size <= 8 * GRANULE && !(s->size & (s->size - 1));
    if (e->event || !vector || !s->loop) {
        pf_emit_range(e, s->inst, ptr, LLVMGetOperand(s->inst, 2), write);
        return;
    }
    LLVMAttributeRef align = LLVMGetCallSiteEnumAttribute(s->inst, operand + 1, e->u->kinds.align);
    uint32_t site = pf_emit_site(e, s->inst, write ? PF_SITE_WRITE : PF_SITE_READ, s->size,
                                 pf_di_variable(e->u, ptr));
    check(e, ptr, s->size, align ? (uint32_t)LLVMGetEnumAttributeValue(align) : 1, write, true,
          site);
}

void pf_emit_ranges(struct pf_emit *e, const struct pf_plan_step *s)
{
    if (s->read_side)
        emit_side(e, s, 1, false);
    if (s->write_side)
        emit_side(e, s, 0, true);
    pf_emit_copy(e, s->inst);
}

void pf_emit_memory(struct pf_emit *e, const struct pf_plan_step *s)
{
    struct pf_unit *u = e->u;
    unsigned id = LLVMGetIntrinsicID(pf_callee(s->inst));
    LLVMValueRef dst = LLVMGetOperand(s->inst, 0), from = LLVMGetOperand(s->inst, 1);
    LLVMValueRef size = LLVMGetOperand(s->inst, 2);
    enum pf_entry entry = id == u->kinds.memcpy    ? PF_E___pf_memcpy
                          : id == u->kinds.memmove ? PF_E___pf_memmove
                                                   : PF_E___pf_memset;
    uint32_t site = pf_emit_site(e, s->inst, PF_SITE_WRITE, 0, pf_di_variable(u, dst));
    if (entry == PF_E___pf_memset)
        from = pf_emit_map_later(e, LLVMBuildZExt(e->b, from, u->i32, ""));
    if (LLVMTypeOf(size) != u->i64)
        size = pf_emit_map_later(e, LLVMBuildIntCast2(e->b, size, u->i64, 0, ""));
    LLVMValueRef args[] = {dst, from, size, pf_emit_number(e, site)};
    pf_emit_call(e, entry, args);
}

/*
 * llvm.masked.{load,store,gather,scatter}: each lane whose mask bit is set is a separate access.
 *      load(ptr, align, mask, other)      store(value, ptr, align, mask)
 *      gather(ptrs, align, mask, other)   scatter(value, ptrs, align, mask)
 */
void pf_emit_masked(struct pf_emit *e, const struct pf_plan_step *s)
{
    struct pf_unit *u = e->u;
    size_t length;
    const char *name = LLVMGetValueName2(pf_callee(s->inst), &length);
    bool store = pf_name_starts(name, "llvm.masked.store."),
         scatter = pf_name_starts(name, "llvm.masked.s") && !store;
    bool write = store || scatter, many = scatter || pf_name_starts(name, "llvm.masked.gather.");
    LLVMValueRef where = LLVMGetOperand(s->inst, write ? 1 : 0);
    LLVMValueRef mask = LLVMGetOperand(s->inst, write ? 3 : 2);
    LLVMTypeRef vector = write ? LLVMTypeOf(LLVMGetOperand(s->inst, 0)) : LLVMTypeOf(s->inst);
    LLVMTypeRef element = LLVMGetElementType(vector);
    uint64_t size = LLVMStoreSizeOfType(u->layout, element);
    unsigned lanes = LLVMGetTypeKind(vector) == LLVMVectorTypeKind ? LLVMGetVectorSize(vector) : 0;
    uint32_t site = lanes ? pf_emit_site(e, s->inst, write ? PF_SITE_WRITE : PF_SITE_READ, size,
                                         pf_di_variable(u, where))
                          : 0;
    for (unsigned i = 0; i < lanes; i++) {
        LLVMBasicBlockRef on = pf_emit_block(e), next = pf_emit_block(e);
        LLVMValueRef lane = pf_emit_number(e, i), at = LLVMConstInt(u->i64, i * size, 0);
        LLVMValueRef bit = pf_emit_map_later(e, LLVMBuildExtractElement(e->b, mask, lane, ""));
        LLVMBuildCondBr(e->b, bit, on, next);
        LLVMPositionBuilderAtEnd(e->b, on);
        LLVMValueRef ptr = many ? LLVMBuildExtractElement(e->b, where, lane, "")
                                : LLVMBuildGEP2(e->b, u->i8, where, &at, 1, "");
        pf_emit_map_later(e, ptr);
        if (e->event) {
            LLVMValueRef value = NULL;
            if (write)
                value = pf_emit_map_later(
                    e, LLVMBuildExtractElement(e->b, LLVMGetOperand(s->inst, 0), lane, ""));
            pf_event_range(e, s->inst, ptr, LLVMConstInt(u->i64, size, 0), write, value);
        } else {
            call_check(e, ptr, size, false, write, false, site);
        }
        LLVMBuildBr(e->b, next);
        LLVMPositionBuilderAtEnd(e->b, next);
    }
    pf_emit_copy(e, s->inst);
}
