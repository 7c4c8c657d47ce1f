// The flag is awaited under the mutex, but set without it.
// want: race flag at SET TEST
#include "order.h"
#include <condition_variable>
#include <mutex>
#include <thread>

std::mutex m;
std::condition_variable cv;
bool flag;

int main()
{
    std::thread t([] {
        flag = true; /* SET */
        cv.notify_all();
        order_point(0);
    });
    order_point(1);
    std::unique_lock<std::mutex> lock(m);
    while (!flag) /* TEST */
        cv.wait(lock);
    lock.unlock();
    t.join();
}
