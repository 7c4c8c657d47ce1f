// After an exception was caught, the stack is that of the catcher, without the unwound frames.
// want: race shared at THREAD MAIN
// stack: MAIN after_all main
#include "order.h"
#include <stdexcept>
#include <thread>

int shared;

static __attribute__((noinline)) void deep(int n)
{
    if (n == 0)
        throw std::runtime_error("deep");
    deep(n - 1);
    __asm__ volatile("");
}

static __attribute__((noinline)) void after_all()
{
    try {
        deep(10);
    } catch (const std::exception &) {
    }
    shared = 2; /* MAIN */
    __asm__ volatile("");
}

int main()
{
    std::thread t([] {
        shared = 1; /* THREAD */
        order_point(0);
    });
    order_point(1);
    after_all();
    t.join();
}
