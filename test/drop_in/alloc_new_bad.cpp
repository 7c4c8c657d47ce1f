// want: race
// text: #0 operator new(unsigned long)
// One thread allocates an object and another one uses it; nothing orders the two.
#include "order.h"
#include <atomic>
#include <thread>

struct item {
    int value;
};
std::atomic<item *> shared;

int main()
{
    int seen = 0;
    std::thread t([&seen] {
        order_point(1);
        seen = shared.load(std::memory_order_relaxed)->value;
    });
    shared.store(new item, std::memory_order_relaxed);
    order_point(0);
    t.join();
    return seen & 0;
}
