// A virtual call while another thread destroys the object: a race on the vtable pointer.
// want: race at DESTROY CALL
#include "order.h"
#include <new>
#include <thread>

struct base {
    virtual ~base() { __asm__ volatile("" ::: "memory"); } /* DESTROY */
    virtual int value() const { return 1; }
};
struct derived : base {
    ~derived() override { order_yield(); }
    int value() const override { return 2; }
};

alignas(derived) char storage[sizeof(derived)];

static __attribute__((noinline)) int use(base *b) { return b->value(); /* CALL */ }

static __attribute__((noinline)) void destroy(base *b) { b->~base(); }

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
