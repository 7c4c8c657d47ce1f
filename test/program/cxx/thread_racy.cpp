// std::thread with a lambda that captures by reference.
// want: race at LAMBDA MAIN
#include "order.h"
#include <thread>

int main()
{
    int value = 0;
    std::thread t([&value] {
        value = 1; /* LAMBDA */
        order_point(0);
    });
    order_point(1);
    int seen = value; /* MAIN */
    t.join();
    return seen != 1;
}
