// Copies of a std::runtime_error share their message; its reference count is inside libstdc++. The
// last owner frees it, ordered after all reads.
// want: none
// tsan: it does not see the reference counts of messages
#include "order.h"
#include <cassert>
#include <cstring>
#include <future>
#include <stdexcept>
#include <thread>

static void fail(std::promise<int> &p)
{
    {
        std::runtime_error e("a message that two threads will read");
        p.set_exception(std::make_exception_ptr(e));
        assert(std::strlen(e.what()) > 20);
    }
    order_point(0);
}

static void take(std::promise<int> p, std::future<int> f)
{
    try {
        f.get();
    } catch (const std::runtime_error &e) {
        assert(std::strlen(e.what()) > 20);
    }
}

int main()
{
    std::promise<int> p;
    std::future<int> f = p.get_future();
    std::thread t(fail, std::ref(p));
    f.wait();
    order_point(1);
    take(std::move(p), std::move(f));
    t.join();
}
