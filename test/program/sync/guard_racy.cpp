// A static local is initialised once, ordered before all uses; later writes of the initialising
// thread are not.
// want: race at MAKER OTHER
#include "order.h"
#include <thread>

struct thing {
    int value;
    thing() : value(1) {}
};

static __attribute__((noinline)) thing &get()
{
    static thing only;
    return only;
}

static void maker()
{
    get().value = 2; /* MAKER */
    order_point(0);
}

static void other()
{
    order_point(1);
    get().value = 3; /* OTHER */
}

int main()
{
    std::thread a(maker), b(other);
    a.join();
    b.join();
    return get().value == 3 ? 0 : 1;
}
