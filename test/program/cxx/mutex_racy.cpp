// One thread forgets the lock.
// want: race shared at LOCKED FORGOT
#include "order.h"
#include <mutex>
#include <thread>

std::mutex m;
int shared;

int main()
{
    std::thread t([] {
        {
            std::lock_guard<std::mutex> guard(m);
            shared++; /* LOCKED */
        }
        order_point(0);
    });
    order_point(1);
    shared++; /* FORGOT */
    t.join();
}
