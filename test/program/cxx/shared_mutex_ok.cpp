// std::shared_mutex: many readers or one writer.
// want: none
// std: c++17
#include <mutex>
#include <shared_mutex>
#include <thread>
#include <vector>

std::shared_mutex m;
int shared;

int main()
{
    std::vector<std::thread> threads;
    std::vector<int> seen(4);
    for (int k = 0; k < 4; k++)
        threads.emplace_back([k, &seen] {
            for (int i = 0; i < 50; i++) {
                {
                    std::shared_lock lock(m);
                    seen[k] += shared;
                }
                std::unique_lock lock(m);
                shared++;
            }
        });
    for (auto &t : threads)
        t.join();
    return shared != 200;
}
