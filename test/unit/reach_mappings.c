/*
 * reach_mappings.c - the address ranges that may contain pointers of the program: they always
 * include everything that the program has mapped, even while the list of mappings is out of date.
 */
// sources: src/rt/direct/reach/mappings.c src/rt/spin.c src/rt/sys.c src/rt/gate.S
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <cmocka.h>

#include "mappings.h"

#define SIZE (1u << 20)

static uint64_t map(int protection)
{
    void *p = mmap(NULL, SIZE, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(p != MAP_FAILED);
    pf_mappings_after_syscall(SYS_mmap, (long[6]){0, SIZE}, (long)p);
    return (uint64_t)p;
}

static void mappings_grow_at_once(void **state)
{
    assert_true(pf_mappings_known());
    uint64_t new = map(PROT_READ | PROT_WRITE); /* the mappings must be read again */
    assert_true(pf_mappings_may_hold(new) && pf_mappings_may_hold(new + SIZE - 1));
    uint64_t end = (uint64_t)sbrk(0) + SIZE; /* an address that the heap would grow to */
    pf_mappings_after_syscall(SYS_brk, (long[6]){(long)end}, (long)end);
    assert_true(pf_mappings_may_hold(end - 1));
    assert_true(pf_mappings_may_hold((uint64_t)&end) && pf_mappings_may_hold((uint64_t)map));
    munmap((void *)new, SIZE);
}

/* Pages of reserved memory become writable, as in an arena, and read-only again. */
static void protection_is_followed(void **state)
{
    uint64_t at = map(PROT_NONE);
    assert_true(pf_mappings_known());
    const uint64_t pages[][2] = {{0, 4096}, {4096, 8192}, {65536, 69632}};
    for (unsigned i = 0; i < 3; i++) {
        uint64_t lo = at + pages[i][0], size = pages[i][1] - pages[i][0],
                 reads = pf_mappings_epoch();
        assert_false(pf_mapping_find(lo)->writable);
        assert_int_equal(mprotect((void *)lo, size, PROT_READ | PROT_WRITE), 0);
        pf_mappings_after_syscall(SYS_mprotect,
                                  (long[6]){(long)lo, (long)size, PROT_READ | PROT_WRITE}, 0);
        assert_true(pf_mappings_epoch() != reads);
        const struct pf_mapping *a = pf_mapping_find(lo);
        assert_true(a->writable && a->lo <= lo && lo + size <= a->hi);
        assert_false(pf_mapping_find(lo + size)->writable);
    }
    pf_mappings_after_syscall(SYS_mprotect, (long[6]){(long)at, 4096, PROT_READ}, 0);
    assert_false(pf_mapping_find(at)->writable);
    assert_true(pf_mapping_find(at + 4096)->writable);
    munmap((void *)at, SIZE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(mappings_grow_at_once),
                                       cmocka_unit_test(protection_is_followed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
