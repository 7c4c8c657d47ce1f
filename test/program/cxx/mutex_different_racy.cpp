// Both lock, but not the same mutex.
// want: race shared at ONE TWO
#include "order.h"
#include <mutex>
#include <thread>

std::mutex m, n;
int shared;

int main()
{
    std::thread t([] {
        {
            std::lock_guard<std::mutex> guard(m);
            shared++; /* ONE */
        }
        order_point(0);
    });
    order_point(1);
    {
        std::lock_guard<std::mutex> guard(n);
        shared++; /* TWO */
    }
    t.join();
}
