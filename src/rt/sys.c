#include "sys.h"
#include "spin.h"
#include <sys/mman.h>

void *pf_sys_map(void *at, size_t size)
{
    int flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | (at ? MAP_FIXED_NOREPLACE : 0);
    long r = pf_sys(SYS_mmap, at, size, PROT_READ | PROT_WRITE, flags, -1, 0);
    if (r < 0 && r > -4096)
        return NULL;
    if (at && (void *)r != at) { /* a kernel that ignores the flag */
        pf_sys(SYS_munmap, r, size);
        return NULL;
    }
    return (void *)r;
}

void pf_sys_zap(void *at, size_t size) { pf_sys(SYS_madvise, at, size, MADV_DONTNEED); }

long pf_sys_mincore(void *at, size_t size, unsigned char *out)
{
    return pf_sys(SYS_mincore, at, size, out);
}

void pf_spin_wait(struct pf_spin *s)
{
    for (unsigned spins = 0;; spins++) {
        if (!__atomic_load_n(&s->taken, __ATOMIC_RELAXED) &&
            !__atomic_exchange_n(&s->taken, 1, __ATOMIC_ACQUIRE))
            return;
        if (spins < 64)
            __builtin_ia32_pause();
        else
            pf_sys(SYS_sched_yield);
    }
}
