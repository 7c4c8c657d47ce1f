// std::atomic<std::shared_ptr>: libstdc++ releases its internal lock with a relaxed store after a
// load.
// want: none
// std: c++20
#include <atomic>
#include <cassert>
#include <memory>
#include <thread>

std::atomic<std::shared_ptr<int>> shared, published;
std::atomic<std::weak_ptr<int>> weak;

static void work(int me)
{
    for (int i = 0; i < 100; i++) {
        std::shared_ptr<int> seen = shared.load();
        assert(!seen || *seen >= 0);
        if (i % 2)
            shared.store(std::make_shared<int>(me));
        else
            shared.compare_exchange_strong(seen, std::make_shared<int>(i));
        if (auto held = weak.load().lock())
            assert(*held == 7);
    }
}

int main()
{
    auto kept = std::make_shared<int>(7);
    weak.store(kept);
    std::thread a(work, 1), b(work, 2);
    std::thread c([] {
        auto p = std::make_shared<int>(0);
        *p = 3;
        published.store(std::move(p));
        published.notify_all();
    });
    published.wait(nullptr);
    *published.load() += 1;
    a.join();
    b.join();
    c.join();
}
