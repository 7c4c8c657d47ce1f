// A small thread pool: queue, results, shutdown.
// want: none
// stdout: 328350
#include <condition_variable>
#include <cstdio>
#include <functional>
#include <mutex>
#include <queue>
#include <thread>
#include <vector>

class pool
{
  public:
    explicit pool(int n)
    {
        for (int i = 0; i < n; i++)
            threads.emplace_back([this] { run(); });
    }
    ~pool()
    {
        {
            std::lock_guard<std::mutex> guard(m);
            done = true;
        }
        wake.notify_all();
        for (auto &t : threads)
            t.join();
    }
    void add(std::function<void()> f)
    {
        {
            std::lock_guard<std::mutex> guard(m);
            jobs.push(std::move(f));
        }
        wake.notify_one();
    }

  private:
    void run()
    {
        for (;;) {
            std::function<void()> f;
            {
                std::unique_lock<std::mutex> lock(m);
                wake.wait(lock, [this] { return done || !jobs.empty(); });
                if (jobs.empty())
                    return;
                f = std::move(jobs.front());
                jobs.pop();
            }
            f();
        }
    }
    std::mutex m;
    std::condition_variable wake;
    std::queue<std::function<void()>> jobs;
    std::vector<std::thread> threads;
    bool done = false;
};

int main()
{
    std::vector<long> results(100);
    {
        pool p(3);
        for (long i = 0; i < 100; i++)
            p.add([i, &results] { results[static_cast<size_t>(i)] = i * i; });
    }
    long sum = 0;
    for (long r : results)
        sum += r;
    std::printf("%ld\n", sum);
}
