/* One function; CHANGE selects which part of its code is different. */
#include <stdatomic.h>

typedef int vec __attribute__((vector_size(16)));
struct two {
    long first, second;
};
struct two two_of(long n);
atomic_int flag;
unsigned __int128 wide;
vec lanes;

int function(int n)
{
    struct two pair = two_of(n);
    int expected = 0;
    int r = atomic_load_explicit(&flag, CHANGE == 1 ? memory_order_acquire : memory_order_relaxed);
    atomic_store_explicit(&flag, 1, CHANGE == 2 ? memory_order_release : memory_order_relaxed);
    atomic_fetch_add_explicit(&flag, 1, CHANGE == 3 ? memory_order_acquire : memory_order_relaxed);
    atomic_compare_exchange_strong_explicit(&flag, &expected, 2, memory_order_acquire,
                                            CHANGE == 4 ? memory_order_acquire
                                                        : memory_order_relaxed);
    atomic_thread_fence(CHANGE == 5 ? memory_order_acquire : memory_order_release);
#if CHANGE == 6
    __asm__ volatile("nop; nop");
#else
    __asm__ volatile("nop");
#endif
    r += (int)(CHANGE == 7 ? pair.second : pair.first);
    wide += (unsigned __int128)(CHANGE == 8 ? 3 : 2) << 100;
    lanes = __builtin_shufflevector(lanes, lanes, 0, CHANGE == 9 ? 2 : 3, 1, 0);
    return r;
}
