// want: vptr-race
// text: data race on vptr (ctor/dtor vs virtual call)
// One thread makes a virtual call and another one destroys the object; nothing orders the two.
#include "vptr.h"

int main()
{
    base *b = new (storage) derived;
    std::thread t([b] {
        use(b);
        order_point(0);
    });
    order_point(1);
    destroy(b);
    t.join();
}
