// Two push_backs.
// want: race at ONE TWO
#include "order.h"
#include <thread>
#include <vector>

std::vector<int> shared;

int main()
{
    shared.reserve(10);
    std::thread t([] {
        shared.push_back(1); /* ONE */
        order_point(0);
    });
    order_point(1);
    shared.push_back(2); /* TWO */
    t.join();
}
