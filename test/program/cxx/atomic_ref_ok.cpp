// std::atomic_ref makes a plain variable atomic for a while; after the join it is plain again.
// want: none
// std: c++20
#include <atomic>
#include <thread>
#include <vector>

int main()
{
    int count = 0;
    std::vector<std::thread> threads;
    for (int k = 0; k < 3; k++)
        threads.emplace_back([&count] {
            std::atomic_ref<int> ref(count);
            for (int i = 0; i < 100; i++)
                ref.fetch_add(1, std::memory_order_relaxed);
        });
    for (auto &t : threads)
        t.join();
    return count != 300;
}
