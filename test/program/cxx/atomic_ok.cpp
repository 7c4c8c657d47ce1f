// std::atomic of several types, with operators.
// want: none
#include <atomic>
#include <cstdint>
#include <thread>
#include <vector>

struct pair {
    int32_t a, b;
};
std::atomic<int> count{0};
std::atomic<pair> both{pair{0, 0}};
std::atomic<double> real{0};
std::atomic<bool> ready{false};
int data;

int main()
{
    std::vector<std::thread> threads;
    for (int k = 0; k < 3; k++)
        threads.emplace_back([] {
            for (int i = 0; i < 100; i++) {
                count++;
                pair p = both.load();
                while (!both.compare_exchange_weak(p, pair{p.a + 1, p.b - 1}))
                    ;
                double r = real;
                while (!real.compare_exchange_weak(r, r + 0.5))
                    ;
            }
        });
    threads.emplace_back([] {
        while (!ready)
            std::this_thread::yield();
        count += data;
    });
    data = 1000;
    ready = true;
    for (auto &t : threads)
        t.join();
    pair p = both;
    return count != 1300 || p.a != 300 || p.b != -300 || real != 150;
}
