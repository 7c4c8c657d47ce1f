// want: none
// std: c++20
// case: record
// case: hatch
/* std::promise, std::future, std::shared_future and std::packaged_task. */
#include <future>
#include <thread>
static int twice(int n) { return 2 * n; }
int main()
{
    std::promise<int> p;
    std::shared_future<int> f = p.get_future().share();
    std::packaged_task<int(int)> task(twice);
    std::future<int> r = task.get_future();
    int got = 0;
    std::thread a([&] { got = f.get(); }), b([&] { p.set_value(4); }), c(std::move(task), 8);
    a.join();
    b.join();
    c.join();
    return got + f.get() + r.get() != 24;
}
