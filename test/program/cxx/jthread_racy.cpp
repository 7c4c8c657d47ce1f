// The destructor of std::jthread runs after the access.
// want: race shared at WORKER MAIN
// std: c++20
#include "order.h"
#include <thread>

int shared;

int main()
{
    std::jthread t([] {
        shared = 1; /* WORKER */
        order_point(0);
    });
    order_point(1);
    shared = 2; /* MAIN */
}
