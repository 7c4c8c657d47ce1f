// std::barrier: two departures of one round are not ordered.
// want: race x at FIRST SECOND
// std: c++20
#include "order.h"
#include <barrier>
#include <thread>

std::barrier<> b(2);
int x;

int main()
{
    std::thread s([] {
        b.arrive_and_wait();
        x = 1; /* FIRST */
        order_point(0);
    });
    std::thread t([] {
        b.arrive_and_wait();
        order_point(1);
        x = 2; /* SECOND */
    });
    s.join();
    t.join();
}
