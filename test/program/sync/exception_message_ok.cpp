// Copies of a std::runtime_error share their message; the count of its owners is inside libstdc++.
// want: none
// tsan: it does not see the reference counts of messages
#include <cassert>
#include <cstring>
#include <future>
#include <stdexcept>
#include <thread>

static void fail(std::promise<int> p)
{
    std::runtime_error e("a message that two threads will read");
    p.set_exception(std::make_exception_ptr(e));
    assert(std::strlen(e.what()) > 20);
}

int main()
{
    for (int i = 0; i < 200; i++) {
        std::promise<int> p;
        std::future<int> f = p.get_future();
        std::thread t(fail, std::move(p));
        try {
            f.get();
        } catch (const std::runtime_error &e) {
            assert(std::strlen(e.what()) > 20);
        }
        f = std::future<int>();
        t.join();
    }
}
