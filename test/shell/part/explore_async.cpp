// explore_async CASE: std::async, an exception that it passes on, std::shared_future, a wait with a
// shared mutex, and an initialiser that throws at first.
#include <condition_variable>
#include <cstdio>
#include <cstring>
#include <future>
#include <mutex>
#include <shared_mutex>
#include <stdexcept>
#include <thread>

static std::mutex lock;
static int sum;

static int add(int n)
{
    std::lock_guard<std::mutex> held(lock);
    return sum = 2 * sum + n;
}

static void async()
{
    auto one = std::async(std::launch::async, add, 1), two = std::async(std::launch::async, add, 2);
    int first = one.get();
    std::printf("%d %d\n", first, two.get());
}

static int refuse(int n)
{
    add(n);
    throw std::runtime_error("refused");
}

static void throws()
{
    auto one = std::async(std::launch::async, add, 1), two = std::async(std::launch::async, refuse, 2);
    try {
        int first = one.get();
        std::printf("%d %d\n", first, two.get());
    } catch (std::exception &e) {
        std::printf("%s %d\n", e.what(), sum);
    }
}

static void shared()
{
    std::promise<int> promise;
    std::shared_future<int> future = promise.get_future().share();
    int seen[2];
    std::thread a([=, &seen] { seen[0] = future.get(); }), b([=, &seen] { seen[1] = future.get(); });
    promise.set_value(4);
    a.join();
    b.join();
    std::printf("%d %d\n", seen[0], seen[1]);
}

static void any()
{
    std::shared_mutex mutex;
    std::condition_variable_any changed;
    bool ready = false;
    std::thread waiter([&] {
        std::shared_lock<std::shared_mutex> held(mutex);
        changed.wait(held, [&] { return ready; });
    });
    {
        std::unique_lock<std::shared_mutex> held(mutex);
        ready = true;
    }
    changed.notify_one();
    waiter.join();
    std::puts("ready");
}

static void once()
{
    std::once_flag flag;
    int tries = 0, by = 0;
    auto act = [&](int n) {
        try {
            std::call_once(flag, [&] {
                if (!tries++)
                    throw n;
                by = n;
            });
        } catch (int) {
        }
    };
    std::thread a(act, 1), b(act, 2);
    a.join();
    b.join();
    std::printf("%d\n", by);
}

int main(int argc, char **argv)
{
    const struct {
        const char *name;
        void (*run)();
    } cases[] = {{"async", async}, {"throws", throws}, {"shared", shared}, {"any", any}, {"once", once}};
    for (auto &c : cases)
        if (argc > 1 && !std::strcmp(c.name, argv[1]))
            c.run();
    return 0;
}
