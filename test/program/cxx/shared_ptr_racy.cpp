// The reference count is safe, the pointer itself is not.
// want: race at ASSIGN COPY
#include "order.h"
#include <memory>
#include <thread>

std::shared_ptr<int> shared = std::make_shared<int>(1);

int main()
{
    auto other = std::make_shared<int>(2);
    std::thread t([&other] {
        shared = other; /* ASSIGN */
        order_point(0);
    });
    order_point(1);
    {
        std::shared_ptr<int> copy = shared; /* COPY */
    }
    t.join();
}
