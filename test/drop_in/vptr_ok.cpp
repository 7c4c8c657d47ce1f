// want: none
// The object is destroyed after the last virtual call.
#include "vptr.h"

int main()
{
    base *b = new (storage) derived;
    std::thread t([b] { use(b); });
    use(b);
    t.join();
    destroy(b);
}
