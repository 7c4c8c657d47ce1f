// A race inside a catch block, in a function through which other exceptions were thrown.
// want: race shared at THREAD MAIN
// stack: MAIN catcher outer main
#include "order.h"
#include <thread>

int shared;

static __attribute__((noinline)) void thrower(int n)
{
    if (n >= 0)
        throw n;
}

static __attribute__((noinline)) void catcher()
{
    try {
        thrower(3);
    } catch (int n) {
        shared = n; /* MAIN */
        thrower(n);
    }
    __asm__ volatile("");
}

static __attribute__((noinline)) void outer()
{
    try {
        catcher();
    } catch (...) {
    }
    __asm__ volatile("");
}

int main()
{
    std::thread t([] {
        shared = 1; /* THREAD */
        order_point(0);
    });
    order_point(1);
    outer();
    t.join();
}
