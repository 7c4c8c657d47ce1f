// The result is set at once, not at thread exit, and the thread continues to write.
// want: race x at WORKER MAIN
#include "order.h"
#include <future>
#include <thread>

int x;

static void work(std::promise<int> p)
{
    p.set_value(7);
    x = 1; /* WORKER */
    order_point(0);
    order_wait(3); // the promise must not be destroyed: its end would order the threads
}

int main()
{
    std::promise<int> p;
    std::future<int> f = p.get_future();
    std::thread t(work, std::move(p));
    f.get();
    order_point(1);
    x = 2; /* MAIN */
    order_point(2);
    t.join();
}
