/*
 * wrap_mmap.c - mappings: new ones have no history, and they stay where the shadow can distinguish
 * them.
 *
 * The shadow uses PF_APP_BITS of an address. The following ranges of the address space share no
 * cell with one another; Linux places everything there by default:
 *
 *      low     0 .. 0x0500'0000'0000              non-PIE image and heap
 *      middle  0x5500'0000'0000 .. 0x5680'...     PIE image and heap
 *      high    0x7680'0000'0000 .. 0x8000'...     mappings, libraries, stacks
 *
 * An address elsewhere that is only a hint is dropped. A fixed address elsewhere would share cells
 * with other memory, and races could be invented: the call fails as if there were no memory, and
 * that is counted.
 */
#include "limits.h"
#include "listener.h"
#include "module.h"
#include "sys.h"
#include "wrap_libc.h"
#include <sys/mman.h>
#include <sys/shm.h>

static bool is_in_app_range(uintptr_t lo, size_t size)
{
    static const struct {
        uintptr_t lo, hi;
    } range[] = {PF_APP_RANGES};
    for (size_t i = 0; i < sizeof range / sizeof *range; i++)
        if (lo >= range[i].lo && lo < range[i].hi && size <= range[i].hi - lo)
            return true;
    return false;
}

/* Sets the address to request from the kernel; false: the call must fail. */
static bool choose_address(void **at, size_t size, bool fixed)
{
    if ((!*at && !fixed) || is_in_app_range((uintptr_t)*at, size))
        return true;
    if (fixed)
        pf_limit_hit(PF_LIMIT_MAPPINGS);
    *at = NULL;
    return !fixed;
}

/* The memory has lost its history: it was mapped, or is being unmapped. */
static void mapped(struct pf_call *c, void *p, size_t size)
{
    pf_memory_new(p, size);
    pf_listener_notify(c->t, PF_NOTIFY_MEMORY_RESET, p, size);
}
static void unmapped(struct pf_call *c, void *p, size_t size)
{
    pf_memory_unmapped(p, size);
    pf_listener_notify(c->t, PF_NOTIFY_MEMORY_RESET, p, size);
}

/* The memory is new, and its allocation is a write, as in wrap_malloc.c. */
static void allocated(struct pf_call *c, void *p, size_t size, const void *caller)
{
    if (pf_code_is_instrumented(caller))
        pf_memory_allocated(c->t, p, size, pf_call_id(c, PF_NATIVE_CALL));
    else
        pf_memory_new(p, size);
    pf_listener_notify(c->t, PF_NOTIFY_MEMORY_RESET, p, size);
}

typedef void *map_fn(void *, size_t, int, int, int, off_t);
static void *map(struct pf_call *c, map_fn *real, void *at, size_t size, int prot, int flags,
                 int fd, off_t offset, const void *caller)
{
    if (!c->t)
        return real(at, size, prot, flags, fd, offset);
    if (!choose_address(&at, size, flags & (MAP_FIXED | MAP_FIXED_NOREPLACE))) {
        c->err = ENOMEM;
        return MAP_FAILED;
    }
    void *p = real(at, size, prot, flags, fd, offset);
    pf_call_keep_errno(c);
    if (p != MAP_FAILED)
        allocated(c, p, pf_page_up(size), caller);
    return p;
}

PF_INTERPOSE(void *, mmap, (void *at, size_t size, int prot, int flags, int fd, off_t offset))
{
    PF_CALL(c, mmap);
    return map(&c, PF_REAL(mmap), at, size, prot, flags, fd, offset, __builtin_return_address(0));
}
PF_INTERPOSE(void *, mmap64, (void *at, size_t size, int prot, int flags, int fd, off64_t offset))
{
    PF_CALL(c, mmap64);
    return map(&c, PF_REAL(mmap64), at, size, prot, flags, fd, offset, __builtin_return_address(0));
}

/* The history is dropped before the real call: afterwards the addresses may belong to another
 * thread. */
PF_INTERPOSE(int, munmap, (void *at, size_t size))
{
    PF_CALL(c, munmap);
    if (!c.t)
        return PF_REAL(munmap)(at, size);
    if ((uintptr_t)at % PF_PAGE == 0 && is_in_app_range((uintptr_t)at, pf_page_up(size)))
        unmapped(&c, at, pf_page_up(size));
    int r = PF_REAL(munmap)(at, size);
    pf_call_keep_errno(&c);
    return r;
}

PF_INTERPOSE(void *, mremap, (void *old, size_t had, size_t size, int flags, ...))
{
    PF_CALL(c, mremap);
    void *to = NULL;
    if (flags & MREMAP_FIXED) {
        va_list args;
        va_start(args, flags);
        to = va_arg(args, void *);
        va_end(args);
    }
    if (!c.t)
        return PF_REAL(mremap)(old, had, size, flags, to);
    if (!choose_address(&to, size, flags & MREMAP_FIXED)) {
        c.err = ENOMEM;
        return MAP_FAILED;
    }
    had = pf_page_up(had);
    size = pf_page_up(size);
    if (had > size) /* before the real call, as in munmap */
        unmapped(&c, (char *)old + size, had - size);
    void *p = PF_REAL(mremap)(old, had, size, flags, to);
    pf_call_keep_errno(&c);
    if (p == MAP_FAILED)
        return p;
    if (p != old)
        mapped(&c, p, size);
    else if (size > had)
        mapped(&c, (char *)p + had, size - had);
    return p;
}

/* MADV_DONTNEED and MADV_REMOVE return the pages, which then read as zero: they have no history.
 * After MADV_FREE the kernel may return them at any later time; until then they keep their
 * contents, so they keep their history too. Other advice changes no contents. */
PF_INTERPOSE(int, madvise, (void *at, size_t size, int advice))
{
    PF_CALL(c, madvise);
    int r = PF_REAL(madvise)(at, size, advice);
    if (!c.t)
        return r;
    pf_call_keep_errno(&c);
    if (r == 0 && (advice == MADV_DONTNEED || advice == MADV_REMOVE))
        unmapped(&c, at, pf_page_up(size));
    return r;
}

/* The end of the heap, moved by the program itself. libc's allocator moves it by internal calls,
 * which are not seen. Memory that it returns to the kernel loses its history when malloc hands it
 * out again. */
PF_INTERPOSE(void *, sbrk, (intptr_t by))
{
    PF_CALL(c, sbrk);
    void *p = PF_REAL(sbrk)(by);
    if (!c.t)
        return p;
    pf_call_keep_errno(&c);
    if (p != (void *)-1 && by > 0)
        mapped(&c, p, (size_t)by);
    return p;
}
PF_INTERPOSE(int, brk, (void *end))
{
    PF_CALL(c, brk);
    char *was = c.t ? PF_REAL(sbrk)(0) : NULL;
    int r = PF_REAL(brk)(end);
    if (!c.t)
        return r;
    pf_call_keep_errno(&c);
    if (r == 0 && (char *)end > was)
        mapped(&c, was, (size_t)((char *)end - was));
    return r;
}

/* System V segments. The size is that of the segment. A detached segment loses its history when its
 * addresses are mapped again. */
PF_INTERPOSE(void *, shmat, (int id, const void *at, int flags))
{
    PF_CALL(c, shmat);
    if (!c.t)
        return PF_REAL(shmat)(id, at, flags);
    struct shmid_ds about;
    bool sized = shmctl(id, IPC_STAT, &about) == 0;
    void *to = (void *)(uintptr_t)at;
    if (to && sized && !choose_address(&to, about.shm_segsz, true)) {
        c.err = ENOMEM;
        return (void *)-1;
    }
    void *p = PF_REAL(shmat)(id, to, flags);
    pf_call_keep_errno(&c);
    if (p != (void *)-1 && sized)
        mapped(&c, p, pf_page_up(about.shm_segsz));
    return p;
}
