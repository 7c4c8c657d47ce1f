// One thread uses std::atomic_ref, the other does not.
// want: race shared at REF PLAIN
// std: c++20
#include "order.h"
#include <atomic>
#include <thread>

int shared;

int main()
{
    std::thread t([] {
        std::atomic_ref<int>(shared).store(1); /* REF */
        order_point(0);
    });
    order_point(1);
    shared++; /* PLAIN */
    t.join();
}
