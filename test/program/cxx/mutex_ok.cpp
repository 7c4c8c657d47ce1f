// std::mutex, lock_guard, unique_lock, scoped_lock, recursive and timed.
// want: none
// std: c++17
#include <chrono>
#include <mutex>
#include <thread>
#include <vector>

std::mutex m, n;
std::recursive_mutex r;
std::timed_mutex timed;
int a, b, c, d;

static void work()
{
    for (int i = 0; i < 100; i++) {
        {
            std::lock_guard<std::mutex> guard(m);
            a++;
        }
        {
            std::unique_lock<std::mutex> lock(m, std::defer_lock);
            while (!lock.try_lock())
                std::this_thread::yield();
            a++;
        }
        {
            std::scoped_lock both(n, m);
            b++;
            a++;
        }
        {
            std::lock_guard<std::recursive_mutex> outer(r);
            std::lock_guard<std::recursive_mutex> inner(r);
            c++;
        }
        {
            std::unique_lock<std::timed_mutex> lock(timed, std::chrono::seconds(100));
            if (lock)
                d++;
        }
    }
}

int main()
{
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++)
        threads.emplace_back(work);
    for (auto &t : threads)
        t.join();
    return a != 900 || b != 300 || c != 300 || d != 300;
}
