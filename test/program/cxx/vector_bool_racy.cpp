// Different elements of a vector<bool> are one memory location.
// want: race at ONE TWO
#include "order.h"
#include <thread>
#include <vector>

int main()
{
    std::vector<bool> shared(100);
    std::thread t([&shared] {
        shared[10] = true; /* ONE */
        order_point(0);
    });
    order_point(1);
    shared[11] = true; /* TWO */
    t.join();
}
