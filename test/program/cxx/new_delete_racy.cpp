// delete races with a use.
// want: race at USE DELETE
#include "order.h"
#include <thread>

struct object {
    int value = 1;
};

int main()
{
    object *o = new object;
    std::thread t([o] {
        o->value = 2; /* USE */
        order_point(0);
    });
    order_point(1);
    delete o; /* DELETE */
    t.join();
}
