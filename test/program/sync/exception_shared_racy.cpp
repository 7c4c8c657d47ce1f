// Two threads rethrow the same exception object, and both write to it.
// want: race at FIRST SECOND
#include "order.h"
#include <exception>
#include <thread>

struct failure {
    int code;
};

static void first(std::exception_ptr p)
{
    try {
        std::rethrow_exception(p);
    } catch (failure &f) {
        f.code = 1; /* FIRST */
        order_point(0);
    }
}

static void second(std::exception_ptr p)
{
    order_point(1);
    try {
        std::rethrow_exception(p);
    } catch (failure &f) {
        f.code = 2; /* SECOND */
    }
}

int main()
{
    std::exception_ptr p = std::make_exception_ptr(failure{0});
    std::thread a(first, p), b(second, p);
    a.join();
    b.join();
}
