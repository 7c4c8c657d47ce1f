// Atomics without an instruction are library calls, with begin and end; their buffers are checked.
// flags: -latomic -Wno-atomic-alignment
// want: atomic 24 s libatomic.c
// want: load order 5 failure 0
// want: store order 5 failure 0
// want: rmw order 4 failure 0
// want: cas order 5 failure 0
// want: end not stored
// want: write 24 out libatomic.c
// want: atomic 16 w libatomic.c
#include <stdio.h>

struct three { long a, b, c; } s = {1, 2, 3}, out, in = {4, 5, 6};
__int128 w;

int main(int argc, char **argv)
{
    __atomic_load(&s, &out, __ATOMIC_SEQ_CST);
    __atomic_store(&s, &in, __ATOMIC_SEQ_CST);
    struct three old = {0}, no = {7, 7, 7};
    __atomic_exchange(&s, &in, &old, __ATOMIC_ACQ_REL);
    int ok = __atomic_compare_exchange(&s, &no, &in, 0, __ATOMIC_SEQ_CST, __ATOMIC_RELAXED);
    __atomic_fetch_add(&w, (__int128)argc, __ATOMIC_RELAXED);
    printf("%ld %ld %ld %d %d\n", out.a, old.b, no.c, ok, (int)w);
    return 0;
}
