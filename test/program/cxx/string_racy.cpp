// std::string does not synchronise.
// want: race at APPEND READ
// tsan: its stack lacks the caller of the library, and it treats new as a write
#include "order.h"
#include <string>
#include <thread>

std::string shared = "start";

int main()
{
    std::thread t([] {
        shared += " and more, so that it has to grow"; /* APPEND */
        order_point(0);
    });
    order_point(1);
    std::string copy = shared; /* READ */
    t.join();
    return copy.empty();
}
