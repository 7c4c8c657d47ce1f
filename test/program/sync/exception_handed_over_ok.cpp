// An exception is passed to another thread while the first still reads it in its catch clause: the
// last owner destroys it, ordered after the other one's use. The reference counts are inside
// libstdc++.
// want: none
// tsan: it does not see the reference counts of exceptions
#include "order.h"
#include <cassert>
#include <exception>
#include <future>
#include <string>
#include <thread>

struct failure {
    std::string text;
    explicit failure(std::string t) : text(std::move(t)) {}
};

static void fail(std::promise<int> &p)
{
    try {
        throw failure("a text that is too long to be kept inside of the string object");
    } catch (const failure &f) {
        p.set_exception(std::current_exception());
        assert(f.text.size() > 40 && f.text[40]);
    }
    order_point(0);
}

static void take(std::promise<int> p, std::future<int> f)
{
    try {
        f.get();
    } catch (const failure &e) {
        assert(e.text.size() > 40 && e.text[40]);
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
