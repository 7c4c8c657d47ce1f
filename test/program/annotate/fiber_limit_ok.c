// There is no memory for the shadow stack of a fiber: no fiber is created, and others still work.
// case: run
// err: 1 thread beyond the capacity ran unwatched
#define _GNU_SOURCE
#include <assert.h>
#include <sanitizer/tsan_interface.h>
#include <stdio.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

/* The kernel's limit: setrlimit does not limit the runtime's own memory. */
static void exchange(const struct rlimit *new, struct rlimit *old)
{
    long r = syscall(SYS_prlimit64, 0, RLIMIT_AS, new, old);
    assert(!r);
}

int main(void)
{
    unsigned long pages = 0;
    __tsan_destroy_fiber(__tsan_create_fiber(0)); /* the caller has a fiber from now on */
    FILE *f = fopen("/proc/self/statm", "r");
    assert(f && fscanf(f, "%lu", &pages) == 1);
    fclose(f);
    struct rlimit old, small;
    exchange(NULL, &old);
    small = old;
    small.rlim_cur = pages * 4096 + (2 << 20);
    exchange(&small, NULL);
    void *none = __tsan_create_fiber(0);
    exchange(&old, NULL);
    assert(!none);
    void *fiber = __tsan_create_fiber(0);
    assert(fiber);
    __tsan_destroy_fiber(fiber);
    return 0;
}
