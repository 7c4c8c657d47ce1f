// std::counting_semaphore passes a buffer back and forth, with every kind of acquire.
// want: none
// std: c++20
#include <cassert>
#include <chrono>
#include <semaphore>
#include <thread>

std::counting_semaphore<1> full(0);
std::binary_semaphore empty(1);
int buffer;

int main()
{
    std::thread t([] {
        for (int i = 0; i < 90; i++) {
            empty.acquire();
            buffer = i;
            full.release();
        }
    });
    for (int i = 0; i < 90; i++) {
        if (i % 3 == 0)
            full.acquire();
        else if (i % 3 == 1)
            while (!full.try_acquire())
                std::this_thread::yield();
        else
            while (!full.try_acquire_for(std::chrono::hours(1)))
                ;
        assert(buffer == i);
        empty.release();
    }
    t.join();
}
