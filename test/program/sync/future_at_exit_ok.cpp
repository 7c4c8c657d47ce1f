// A result that is set at thread exit: getting it is ordered after everything the thread did, its
// thread-local destructors included.
// want: none
// tsan: it does not see that libstdc++ makes the state ready
#include <cassert>
#include <future>
#include <thread>

int x;

struct last {
    ~last() { x++; }
};

static void work(std::promise<int> p)
{
    static thread_local last l;
    (void)&l;
    p.set_value_at_thread_exit(7);
    x++;
}

int main()
{
    for (int i = 1; i <= 200; i++) {
        std::promise<int> p;
        std::future<int> f = p.get_future();
        std::thread t(work, std::move(p));
        assert(f.get() == 7);
        assert(x == 2 * i);
        f = std::future<int>();
        t.join();
    }
}
