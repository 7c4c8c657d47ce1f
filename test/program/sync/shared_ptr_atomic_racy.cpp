// One thread stores the shared_ptr atomically, the other reads it plainly.
// want: race at STORE READ
#include "order.h"
#include <memory>
#include <thread>

std::shared_ptr<int> shared;

int main()
{
    std::thread t([] {
        std::atomic_store(&shared, std::make_shared<int>(1)); /* STORE */
        order_point(0);
    });
    order_point(1);
    int *seen = shared.get(); /* READ */
    t.join();
    return seen == nullptr;
}
