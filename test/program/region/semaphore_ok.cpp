// want: none
// std: c++20
// case: record
// case: hatch
/* std::counting_semaphore: a bounded buffer of one slot per permit. */
#include <mutex>
#include <semaphore>
#include <thread>
static std::counting_semaphore<4> room(2), items(0);
static std::mutex m;
static int buffer[2], put, got, sum;
static void produce()
{
    for (int i = 1; i <= 4; i++) {
        room.acquire();
        {
            std::lock_guard<std::mutex> l(m);
            buffer[put++ % 2] = i;
        }
        items.release();
    }
}
static void consume()
{
    for (int i = 1; i <= 4; i++) {
        std::lock_guard<std::mutex> l(m);
        if (!items.try_acquire()) {
            i--;
            m.unlock();
            std::this_thread::yield();
            m.lock();
            continue;
        }
        sum += buffer[got++ % 2];
        room.release();
    }
}
int main()
{
    std::thread a(produce), b(consume);
    a.join();
    b.join();
    return sum != 10;
}
