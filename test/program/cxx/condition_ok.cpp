// std::condition_variable: wait, wait_for, notify; and _any.
// want: none
// stdout: 4950
#include <chrono>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <mutex>
#include <thread>

std::mutex m;
std::condition_variable ready;
std::condition_variable_any room;
std::deque<int> queue;

int main()
{
    long sum = 0;
    std::thread consumer([&sum] {
        for (int i = 0; i < 100; i++) {
            std::unique_lock<std::mutex> lock(m);
            if (i % 2)
                ready.wait(lock, [] { return !queue.empty(); });
            else
                while (
                    !ready.wait_for(lock, std::chrono::seconds(50), [] { return !queue.empty(); }))
                    ;
            sum += queue.front();
            queue.pop_front();
            room.notify_one();
        }
    });
    for (int i = 0; i < 100; i++) {
        std::unique_lock<std::mutex> lock(m);
        room.wait(lock, [] { return queue.size() < 3; });
        queue.push_back(i);
        ready.notify_one();
    }
    consumer.join();
    std::printf("%ld\n", sum);
}
