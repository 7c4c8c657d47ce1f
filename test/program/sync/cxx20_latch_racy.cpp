// std::latch: the write is after the count_down.
// want: race x at WORKER MAIN
// std: c++20
#include "order.h"
#include <latch>
#include <thread>

std::latch l(1);
int x;

int main()
{
    std::thread t([] {
        l.count_down();
        x = 1; /* WORKER */
        order_point(0);
    });
    l.wait();
    order_point(1);
    x = 2; /* MAIN */
    t.join();
}
