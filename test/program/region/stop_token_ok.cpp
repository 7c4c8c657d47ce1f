// want: none
// std: c++20
// case: record
// case: hatch
/* std::condition_variable_any with a stop token, and std::jthread. */
#include <condition_variable>
#include <mutex>
#include <stop_token>
#include <thread>
static std::mutex m;
static std::condition_variable_any c;
static int queued, done;
static void work(std::stop_token stop)
{
    std::unique_lock<std::mutex> l(m);
    while (c.wait(l, stop, [] { return queued > 0; })) {
        queued--;
        done++;
        c.notify_all();
    }
}
int main()
{
    std::jthread t(work);
    for (int i = 0; i < 3; i++) {
        std::lock_guard<std::mutex> l(m);
        queued++;
        c.notify_all();
    }
    {
        std::unique_lock<std::mutex> l(m);
        c.wait(l, [] { return done == 3; });
    }
    t.request_stop();
    t.join();
    return done != 3;
}
