// want: vptr-race
// notext: on vptr
// A thread deletes an object after another one has called a virtual function of it; nothing orders
// the two. The later access is the free.
#include "order.h"
#include <pthread.h>

struct Base {
    virtual void call() {}
    virtual ~Base() {}
};
struct Derived : Base {
    void call() override {}
};
static Base *object = new Derived;

static void *caller(void *arg)
{
    object->call();
    order_point(0);
    return arg;
}

int main()
{
    pthread_t t;
    pthread_create(&t, NULL, caller, NULL);
    order_point(1);
    delete object;
    pthread_join(t, NULL);
    return 0;
}
