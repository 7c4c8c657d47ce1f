// C++20 waiting and notifying on atomics; a latch, a barrier, a semaphore.
// want: none
// std: c++20
#include <atomic>
#include <barrier>
#include <latch>
#include <semaphore>
#include <thread>
#include <vector>

std::atomic<int> flag{0};
std::latch latch{3};
std::barrier<> phase{3};
std::counting_semaphore<4> permits{0};
int data, parts[3], sums[3], late;

int main()
{
    std::vector<std::thread> threads;
    for (int k = 0; k < 3; k++)
        threads.emplace_back([k] {
            flag.wait(0);
            parts[k] = data + k;
            latch.arrive_and_wait();
            sums[k] = parts[0] + parts[1] + parts[2];
            phase.arrive_and_wait();
            parts[k] = sums[(k + 1) % 3];
            if (k == 0) {
                late = 5;
                permits.release();
            }
        });
    data = 10;
    flag = 1;
    flag.notify_all();
    permits.acquire();
    int seen = late;
    for (auto &t : threads)
        t.join();
    return seen != 5 || parts[2] != 33;
}
