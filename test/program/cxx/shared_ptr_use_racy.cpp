// The object behind a shared_ptr is not protected by it.
// want: race at ONE TWO
#include "order.h"
#include <memory>
#include <thread>

int main()
{
    auto shared = std::make_shared<int>(1);
    std::thread t([mine = shared] {
        *mine = 2; /* ONE */
        order_point(0);
    });
    order_point(1);
    *shared = 3; /* TWO */
    t.join();
}
