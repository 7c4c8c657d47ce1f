// std::binary_semaphore: the write is after the release.
// want: race x at WORKER MAIN
// std: c++20
#include "order.h"
#include <semaphore>
#include <thread>

std::binary_semaphore s(0);
int x;

int main()
{
    std::thread t([] {
        s.release();
        x = 1; /* WORKER */
        order_point(0);
    });
    s.acquire();
    order_point(1);
    x = 2; /* MAIN */
    t.join();
}
