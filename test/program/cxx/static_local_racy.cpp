// The initialisation of a static local variable is safe, its use is not.
// want: race at ONE TWO
#include "order.h"
#include <thread>

static int &counter()
{
    static int &count = *new int(0);
    return count;
}

int main()
{
    std::thread t([] {
        counter()++; /* ONE */
        order_point(0);
    });
    order_point(1);
    counter()++; /* TWO */
    t.join();
}
