// want: none
// suspicious: atomicity
// std: c++20
// case: record
// case: hatch
/* A thread pool of C++20: a queue with a condition variable, an atomic counter of pending tasks. */
#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>
class pool
{
    std::mutex m;
    std::condition_variable_any ready;
    std::deque<std::function<void()>> tasks;
    std::atomic<int> pending{0};
    std::vector<std::jthread> threads;
    void work(std::stop_token stop)
    {
        for (;;) {
            std::function<void()> task;
            {
                std::unique_lock<std::mutex> l(m);
                if (!ready.wait(l, stop, [this] { return !tasks.empty(); }))
                    return;
                task = std::move(tasks.front());
                tasks.pop_front();
            }
            task();
            if (--pending == 0)
                pending.notify_all();
        }
    }

  public:
    explicit pool(int n)
    {
        for (int i = 0; i < n; i++)
            threads.emplace_back([this](std::stop_token s) { work(s); });
    }
    void add(std::function<void()> f)
    {
        ++pending;
        std::lock_guard<std::mutex> l(m);
        tasks.push_back(std::move(f));
        ready.notify_one();
    }
    void wait()
    {
        for (int n; (n = pending.load());)
            pending.wait(n);
    }
};
int main()
{
    std::mutex m;
    int sum = 0;
    pool p(2);
    for (int i = 1; i <= 3; i++)
        p.add([&, i] {
            std::lock_guard<std::mutex> l(m);
            sum += i;
        });
    p.wait();
    std::lock_guard<std::mutex> l(m);
    return sum != 6;
}
