/* callbacks_weak_lib.c - a library without events. consume() calls back and waits for publish. */
#include <stdatomic.h>
static atomic_int called, ready;
void wait_for_callback(void)
{
    while (!atomic_load(&called))
        __builtin_ia32_pause();
}
void publish(void) { atomic_store(&ready, 1); }
void consume(int (*callback)(void))
{
    callback();
    atomic_store(&called, 1);
    while (!atomic_load(&ready))
        __builtin_ia32_pause();
}
