// A coroutine that another thread has resumed changes a variable that the main thread also changes.
// want: race counter at INSIDE OUTSIDE
// std: c++20
#include "coroutine.h"
#include "order.h"
#include <thread>

int counter;

static task steps(int by)
{
    co_await std::suspend_always{};
    counter = by; /* INSIDE */
}

int main()
{
    task t = steps(1);
    t.handle.resume();
    std::thread other([&t] {
        t.handle.resume();
        order_point(0);
    });
    order_point(1);
    counter = 2; /* OUTSIDE */
    other.join();
    t.handle.destroy();
}
