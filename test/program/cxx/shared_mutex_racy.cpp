// A write under the shared lock.
// want: race shared at ONE TWO
// std: c++17
#include "order.h"
#include <shared_mutex>
#include <thread>

std::shared_mutex m;
int shared;

int main()
{
    std::thread t([] {
        {
            std::shared_lock lock(m);
            shared++; /* ONE */
        }
        order_point(0);
    });
    order_point(1);
    {
        std::shared_lock lock(m);
        shared++; /* TWO */
    }
    t.join();
}
