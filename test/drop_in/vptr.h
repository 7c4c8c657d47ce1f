/* vptr.h - a class whose destructor sets the vtable pointer again. */
#include "order.h"
#include <new>
#include <thread>

struct base {
    virtual ~base() { __asm__ volatile("" ::: "memory"); }
    virtual int value() const { return 1; }
};
struct derived : base {
    ~derived() override { order_yield(); }
    int value() const override { return 2; }
};

alignas(derived) char storage[sizeof(derived)];

static __attribute__((noinline)) int use(base *b) { return b->value(); }
static __attribute__((noinline)) void destroy(base *b) { b->~base(); }
