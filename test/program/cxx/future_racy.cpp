// The get does not order the worker's accesses after set_value.
// want: race late at LATE READ
#include "order.h"
#include <future>
#include <thread>

int late;

int main()
{
    std::promise<int> promise;
    auto future = promise.get_future();
    std::thread t([&promise] {
        promise.set_value(1);
        late = 1; /* LATE */
        order_point(0);
    });
    future.get();
    order_point(1);
    int seen = late; /* READ */
    t.join();
    return seen != 1;
}
