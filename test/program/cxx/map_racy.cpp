// A look-up in a map while another thread inserts.
// want: race at INSERT FIND
// flags: -fno-inline
#include "order.h"
#include <map>
#include <thread>

std::map<int, int> shared = {{1, 1}, {5, 5}};

int main()
{
    std::thread t([] {
        shared.emplace(3, 3); /* INSERT */
        order_point(0);
    });
    order_point(1);
    bool found = shared.count(3); /* FIND */
    t.join();
    return !found;
}
