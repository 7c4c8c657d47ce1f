/*
 * wrap_malloc.c - malloc and its family, on top of glibc's allocator. It is called by its other
 * names (__libc_malloc), which need no lookup, because malloc is used before the runtime is ready.
 *
 * realloc is the end of the old block, checked as a write of it, and the beginning of a new one. If
 * the block stays in place, the bytes it keeps stay marked as written by realloc; if it moves, the
 * copy is a write. So nothing is lost: all earlier accesses are checked against the end, and all
 * later ones against what realloc wrote. The end must be recorded before the real call, because
 * another thread may get the memory during it. For the same reason the block is marked as freed
 * before the call if it may move, and the marks are removed if it did not.
 *
 * A library of the program may replace glibc's allocator. One that defines only malloc and its
 * family (jemalloc) is not used, because ours come first. One that also defines __libc_malloc
 * (tcmalloc) is used. Its blocks have no header of glibc, and its realloc and calloc may call
 * interposed functions on memory that is marked as freed.
 *
 * An allocation by instrumented code is a write of the block. One by other code is not: what orders
 * it before the uses of the block may be invisible, too.
 *
 * In directed mode blocks are followed by a red zone, and freed blocks are returned to libc later
 * (red_zone.h). But a block that realloc moves is only marked as freed: libc's realloc has already
 * taken it back.
 */
#include "wrap_malloc.h"
#include "lock_unwatched.h"
#include "memory_error.h"
#include "memory_ops.h"
#include "module.h"
#include "options.h"
#include "quarantine.h"
#include "red_zone.h"
#include "reporter.h"
#include "rt.h"
#include "sys.h"
#include "wrap_signal.h"
#include <dlfcn.h>
#include <gnu/libc-version.h>
#include <link.h>
#include <malloc.h>
#include <stdlib.h>
#include <unistd.h>

extern void *__libc_malloc(size_t), *__libc_calloc(size_t, size_t), *__libc_realloc(void *, size_t);
extern void *__libc_memalign(size_t, size_t);
extern void __libc_free(void *);

/* glibc does not write larger blocks: pages fresh from the kernel are zero already. */
#define CALLOC_WRITES_MAX (128u << 10)

#define TCACHE_MAX 1032u    /* glibc keeps free blocks of up to this size in per-thread lists */
#define ARENA (64ull << 20) /* a thread's arena, aligned to its size */

/* Where libc, the dynamic linker and the allocator are; `hi` is set last. */
enum { LIBC, LINKER, ALLOCATOR, LIBRARIES };
static struct library_range {
    uintptr_t lo, hi;
} library_range[LIBRARIES];

static int note_library_range(struct dl_phdr_info *o, size_t size, void *arg)
{
    const uintptr_t holds[LIBRARIES] = {(uintptr_t)gnu_get_libc_version, (uintptr_t)&_r_debug,
                                        (uintptr_t)__libc_malloc};
    uintptr_t lo = UINTPTR_MAX, hi = 0;
    for (int i = 0; i < o->dlpi_phnum; i++) {
        const ElfW(Phdr) *p = &o->dlpi_phdr[i];
        if (p->p_type != PT_LOAD)
            continue;
        uintptr_t at = o->dlpi_addr + p->p_vaddr;
        lo = at < lo ? at : lo;
        hi = at + p->p_memsz > hi ? at + p->p_memsz : hi;
    }
    for (int i = 0; i < LIBRARIES; i++)
        if (holds[i] >= lo && holds[i] < hi) {
            library_range[i].lo = lo;
            __atomic_store_n(&library_range[i].hi, hi, __ATOMIC_RELEASE);
        }
    return 0;
}

static bool is_in(int library, const void *code)
{
    uintptr_t at = (uintptr_t)code;
    return at >= library_range[library].lo &&
           at < __atomic_load_n(&library_range[library].hi, __ATOMIC_RELAXED);
}

static bool called_by_libc(const void *caller)
{
    return is_in(LIBC, caller) || is_in(LINKER, caller);
}

static void find_libraries(void);

/* Returns the frame that leave restores. */
static inline struct pf_frame *enter(struct pf_func *native, const void *caller)
{
    struct pf_frame *top = __pf_tls.frame;
    pf_stack_push_from(native, caller);
    pf_nest();
    if (__builtin_expect(!library_range[LIBC].hi, 0))
        find_libraries();
    return top;
}
static inline void leave(struct pf_thread *t, struct pf_frame *top)
{
    pf_unnest();
    __pf_tls.frame = top;
    pf_signal_poll_if_pending(t);
}

void *PF_HIDDEN pf_entry_malloc(size_t size);

/* True if the allocator is not libc's. */
static bool is_other_allocator(void)
{
    if (__builtin_expect(!library_range[LIBC].hi, 0))
        find_libraries();
    return library_range[ALLOCATOR].lo != library_range[LIBC].lo;
}

/* The size to request from the allocator. libc's header word serves as the red zone before a block;
 * other allocators have none, so every block of theirs gets extra bytes behind it. */
static size_t padded(size_t size)
{
    if (!pf_directed())
        return size;
    bool room = is_other_allocator() && size <= SIZE_MAX - PF_RED_ZONE_SIZE;
    return room ? size + PF_RED_ZONE_SIZE : pf_red_zone_padded_size(size);
}

/* From the start of the block to the end of its red zone. */
static size_t red_zone_extent(size_t size)
{
    return is_other_allocator() ? (size + PF_RED_ZONE_SIZE) & -8ul : pf_red_zone_extent(size);
}

static bool uses_red_zones(void) { return pf_directed() && pf_rt.ready; }

/* There is no red zone around blocks of an allocator that the program defines itself. */
static void mark_red_zone(void *p, size_t size)
{
    if (uses_red_zones() && PF_IS_INTERPOSED(malloc))
        pf_red_zone_mark_block((uintptr_t)p, size, red_zone_extent(size));
}

void *pf_heap_allocated(struct pf_func *native, void *p, size_t size, const void *caller)
{
    struct pf_thread *t = pf_self();
    if (!p || pf_forward_all)
        return p;
    if (!t) {
        mark_red_zone(p, size);
        if (pf_rt.ready)
            pf_memory_new(p, size);
        return p;
    }
    pf_block_prefetch(p);
    struct pf_frame *top = enter(native, caller);
    pf_signal_check_call(t);
    bool write = !(pf_rt.sampling && !pf_stack_watched()) && pf_code_is_instrumented(caller);
    pf_block_new(t, p, size, pf_stack_id(t, PF_NATIVE_CALL), write);
    mark_red_zone(p, size);
    leave(t, top);
    return p;
}

/* True if libc has mapped this block by itself and will unmap it; it says so in the second bit of
 * the word before the block. */
static bool is_mapped_alone(const void *p)
{
    return !is_other_allocator() && ((const size_t *)p)[-1] & 2;
}

/* to_libc: the caller returns the block to libc at once, or may do so. */
static void freeing(struct pf_func *native, void *p, const void *caller, bool to_libc)
{
    struct pf_thread *t = pf_self();
    if (!p || !t)
        return;
    pf_block_prefetch(p);
    if (pf_unwatched_thread() && library_range[LIBC].hi && !called_by_libc(caller) &&
        !t->interpose.handler && pf_heap_block_free_unwatched(p))
        return;
    struct pf_frame *top = enter(native, caller);
    pf_signal_check_call(t);
    bool own = called_by_libc(caller);
    uint32_t where = pf_stack_id(t, PF_NATIVE_FREE);
    if (own)
        pf_memory_new(p, pf_block_size(p));
    bool mark = to_libc && !own && !pf_rt.heap_bypassed && !is_mapped_alone(p);
    pf_block_free(t, p, where, mark);
    leave(t, top);
}

void pf_heap_freeing(struct pf_func *native, void *p, const void *caller)
{
    freeing(native, p, caller, false);
}

#define CALLER __builtin_return_address(0)
#define HEAP(result, fn, parameters)                                                               \
    PF_NATIVE(fn);                                                                                 \
    PF_INTERCEPTOR_NAME(fn);                                                                       \
    PF_EXPORT __attribute__((weak)) result fn parameters

/* The ones called most: in plain mode they jump to libc's at once. */
#define HEAP_HOT(result, fn, parameters)                                                           \
    PF_NATIVE(fn);                                                                                 \
    PF_FORWARD_TO(fn, "jmp *__libc_" #fn "@GOTPCREL(%rip)\n");                                     \
    result PF_HIDDEN pf_entry_##fn parameters;                                                     \
    result PF_HIDDEN pf_impl_##fn parameters;                                                      \
    result pf_impl_##fn parameters

/*
 * Free small blocks form lists through their first words, each mangled with its own address
 * (glibc's PROTECT_PTR). The first word of a block just allocated is not overwritten yet: it tells
 * which block will be allocated next, and there is time to prefetch it. A wrong guess does no harm.
 */
static void *alloc_and_prefetch(size_t size)
{
    void *p = __libc_malloc(padded(size));
    if (p && size <= TCACHE_MAX) {
        uintptr_t next = *(uintptr_t *)p ^ (uintptr_t)p >> 12;
        if ((next ^ (uintptr_t)p) < ARENA) {
            pf_prefetch((void *)next);
            pf_block_prefetch((void *)next);
        }
    }
    return p;
}

HEAP_HOT(void *, malloc, (size_t size))
{
    return pf_heap_allocated(&pf_native_malloc, alloc_and_prefetch(size), size, CALLER);
}

void *pf_heap_raw(size_t size, size_t align)
{
    size = size ? size : 1;
    if (PF_IS_INTERPOSED(malloc))
        return align ? __libc_memalign(align, padded(size)) : alloc_and_prefetch(size);
    return align ? aligned_alloc(align, (size + align - 1) & ~(align - 1)) : malloc(size);
}

/* A known block was freed; it is not returned to libc yet. */
static void quarantine(void *p, size_t had)
{
    pf_red_zone_mark_freed((uintptr_t)p, had);
    pf_red_zone_quarantine(p, had, __libc_free);
}

static void report_double_free(struct pf_thread *t, const struct pf_freed_block *b, uint32_t where)
{
    struct pf_bad_access e = {.t = t,
                              .kind = PF_BAD_ACCESS_FREED_TWICE,
                              .id = where,
                              .addr = (uintptr_t)b->addr,
                              .size = b->size,
                              .byte = (uintptr_t)b->addr,
                              .write = true,
                              .freed_at = b->where,
                              .freed_by = b->thread};
    pf_block_find(b->addr, &e.block);
    pf_bad_access_found(&e);
}

/* Free mode with a quarantine. Returns false if the block is to be freed as usual. */
static bool free_to_quarantine(struct pf_func *native, void *p, const void *caller)
{
    struct pf_thread *t = pf_self();
    struct pf_freed_block b = {.addr = p};
    if (!p || !t || called_by_libc(caller))
        return false;
    struct pf_frame *top = enter(native, caller);
    pf_signal_check_call(t);
    b.where = pf_stack_id(t, PF_NATIVE_FREE);
    b.thread = t->number;
    b.size = pf_block_size(p);
    bool done = false;
    if (b.size) {
        pf_block_free(t, p, b.where, false);
        if (!pf_quarantine_add(t, b, __libc_free))
            __libc_free(p);
        done = true;
    } else if (pf_quarantine_find(p, &b)) {
        report_double_free(t, &b, pf_stack_id(t, PF_NATIVE_FREE));
        done = true;
    }
    leave(t, top);
    return done;
}

void pf_heap_free(struct pf_func *native, void *p, const void *caller)
{
    struct pf_thread *t = pf_self();
    if (__builtin_expect(pf_options.quarantine_size_mb > 0, 0) &&
        free_to_quarantine(native, p, caller))
        return;
    if (!uses_red_zones() || !p || !t) {
        freeing(native, p, caller, true);
        __libc_free(p);
        return;
    }
    pf_block_prefetch(p);
    if (!called_by_libc(caller))
        pf_sched_preemption_point();
    size_t had = pf_block_size(p);
    if (had) {
        struct pf_frame *top = enter(native, caller);
        pf_block_free(t, p, pf_stack_id(t, PF_NATIVE_FREE), false);
        leave(t, top);
        quarantine(p, had);
    } else if (pf_red_zone_kind((uintptr_t)p) == PF_ZONE_FREED) {
        struct pf_frame *top = enter(native, caller);
        pf_memory_double_free((uintptr_t)p, pf_stack_id(t, PF_NATIVE_FREE));
        leave(t, top);
    } else {
        __libc_free(p);
    }
}

void pf_heap_raw_free(struct pf_func *native, void *p, const void *caller)
{
    if (PF_IS_INTERPOSED(malloc)) {
        pf_heap_free(native, p, caller);
        return;
    }
    pf_heap_freeing(native, p, caller);
    free(p);
}

HEAP_HOT(void, free, (void *p)) { pf_heap_free(&pf_native_free, p, CALLER); }

HEAP_HOT(void *, calloc, (size_t n, size_t each))
{
    size_t size;
    if (__builtin_mul_overflow(n, each, &size)) {
        errno = ENOMEM;
        return NULL;
    }
    pf_nest();
    void *p = __libc_calloc(1, padded(size));
    pf_unnest();
    pf_heap_allocated(&pf_native_calloc, p, size, CALLER);
    if (p && size < CALLOC_WRITES_MAX && !called_by_libc(CALLER))
        PF_WITH_FRAME(calloc, pf_writes(p, size));
    return p;
}

PF_REAL_DEFINE(malloc_usable_size, NULL);

/* The usable size, as the allocator of the block says it. */
static size_t usable_size(void *p)
{
    static __typeof__(malloc_usable_size) *found;
    if (!found) {
        find_libraries();
        __typeof__(malloc_usable_size) *next = PF_REAL(malloc_usable_size);
        void *libc = is_in(ALLOCATOR, (void *)next)
                         ? NULL
                         : dlvsym(RTLD_NEXT, "malloc_usable_size", "GLIBC_2.2.5");
        found = libc ? (__typeof__(found))libc : next;
    }
    return found(p);
}

/* realloc of a block that is in a quarantine: it is reported as freed twice, and taken out of the
 * quarantine, so that realloc finds a block that was not freed. */
static void take_back(struct pf_thread *t, struct pf_func *native, void *old, const void *caller)
{
    struct pf_freed_block b = {0};
    struct pf_frame *top = enter(native, caller);
    uint32_t where = pf_stack_id(t, PF_NATIVE_FREE);
    if (uses_red_zones() && pf_red_zone_kind((uintptr_t)old) == PF_ZONE_FREED) {
        pf_memory_double_free((uintptr_t)old, where);
        b.size = pf_red_zone_take(old);
    } else if (pf_options.quarantine_size_mb > 0 && pf_quarantine_take(old, &b)) {
        report_double_free(t, &b, where);
        pf_memory_new(old, b.size);
    }
    leave(t, top);
    if (b.size)
        pf_heap_allocated(native, old, b.size, caller);
}

/* realloc, as described at the top of the file. */
static void *resize(struct pf_func *native, void *old, size_t size, const void *caller)
{
    struct pf_thread *t = pf_self();
    size_t had = 0;
    bool marked = false;
    if (t && old) {
        had = pf_block_size(old);
        if (__builtin_expect(!had, 0) && !called_by_libc(caller)) {
            take_back(t, native, old, caller);
            had = pf_block_size(old);
        }
        pf_nest();
        marked = had && !pf_rt.events && (!size || usable_size(old) < size);
        pf_unnest();
        freeing(native, old, caller, marked);
    }
    pf_nest();
    void *p = __libc_realloc(old, old && !size ? 0 : padded(size));
    pf_unnest();
    if (uses_red_zones() && had && p != old && (p || !size))
        pf_red_zone_mark_freed((uintptr_t)old, had);
    if (!had || (!p && !size))
        return pf_heap_allocated(native, p, size, caller);
    if (!p || p == old) { /* it stayed, or there was no memory and it is unchanged */
        size_t now = p ? size : had;
        struct pf_frame *top = enter(native, caller);
        if (marked)
            pf_shadow_not_freed(t, (uintptr_t)old, had, pf_stack_id(t, PF_NATIVE_FREE));
        pf_block_reuse(t, old, now, had < now ? had : now, pf_stack_id(t, PF_NATIVE_CALL),
                       pf_code_is_instrumented(caller));
        mark_red_zone(old, now);
        leave(t, top);
        return p;
    }
    pf_heap_allocated(native, p, size, caller);
    if (!called_by_libc(caller)) {
        struct pf_frame *top = __pf_tls.frame;
        pf_stack_push_from(native, caller);
        pf_writes(p, had < size ? had : size);
        __pf_tls.frame = top;
    }
    return p;
}

HEAP_HOT(void *, realloc, (void *old, size_t size))
{
    return resize(&pf_native_realloc, old, size, CALLER);
}

static void find_libraries(void)
{
    if (!PF_IS_INTERPOSED(malloc) || !PF_IS_INTERPOSED(calloc) || !PF_IS_INTERPOSED(realloc) ||
        !PF_IS_INTERPOSED(free))
        pf_rt.heap_bypassed = true;
    dl_iterate_phdr(note_library_range, NULL);
}

HEAP(void *, reallocarray, (void *old, size_t n, size_t each))
{
    size_t size;
    if (__builtin_mul_overflow(n, each, &size)) {
        errno = ENOMEM;
        return NULL;
    }
    return resize(&pf_native_reallocarray, old, size, CALLER);
}

HEAP(void *, memalign, (size_t align, size_t size))
{
    return pf_heap_allocated(&pf_native_memalign, __libc_memalign(align, padded(size)), size,
                             CALLER);
}

HEAP(void *, aligned_alloc, (size_t align, size_t size))
{
    return pf_heap_allocated(&pf_native_aligned_alloc, __libc_memalign(align, padded(size)), size,
                             CALLER);
}

HEAP(int, posix_memalign, (void **out, size_t align, size_t size))
{
    if (align % sizeof(void *) || !align || align & (align - 1))
        return EINVAL;
    int kept = errno;
    void *p = __libc_memalign(align, padded(size));
    errno = kept;
    if (!p)
        return ENOMEM;
    pf_heap_allocated(&pf_native_posix_memalign, p, size, CALLER);
    PF_WITH_FRAME(posix_memalign, pf_writes(out, sizeof *out));
    *out = p;
    return 0;
}

HEAP(void *, valloc, (size_t size))
{
    void *p = __libc_memalign((size_t)getpagesize(), padded(size));
    return pf_heap_allocated(&pf_native_valloc, p, size, CALLER);
}

HEAP(void *, pvalloc, (size_t size))
{
    size_t page = (size_t)getpagesize(), whole;
    if (__builtin_add_overflow(size, page - 1, &whole)) {
        errno = ENOMEM;
        return NULL;
    }
    whole &= ~(page - 1);
    return pf_heap_allocated(&pf_native_pvalloc, __libc_memalign(page, padded(whole)), whole,
                             CALLER);
}

/* A program that asks for the usable size uses it: the rest of the block is new memory too. */
PF_NATIVE(malloc_usable_size);
PF_INTERCEPTOR_NAME(malloc_usable_size);
PF_EXPORT __attribute__((weak)) size_t malloc_usable_size(void *p)
{
    size_t usable = usable_size(p);
    size_t size = uses_red_zones() ? pf_block_size(p) : 0;
    if (size && PF_IS_INTERPOSED(malloc)) {
        size_t behind = padded(size) - size;
        usable -= behind;
        pf_red_zone_mark_block((uintptr_t)p, usable, usable + (behind ? behind : 8));
    }
    if (p && pf_self()) {
        pf_nest();
        size = pf_block_size(p);
        if (size && size < usable)
            pf_memory_new((char *)p + size, usable - size);
        pf_unnest();
    }
    return usable;
}
