// Two threads resume a coroutine, one after the other. The start and the join of the second thread
// order the accesses to the frame and to the counter.
// want: none
// std: c++20
// stdout: 3
#include "coroutine.h"
#include <cstdio>
#include <thread>

int counter;

static task steps(int by)
{
    for (int i = 0; i < 3; i++) {
        counter += by;
        co_await std::suspend_always{};
    }
}

int main()
{
    task t = steps(1);
    t.handle.resume();
    std::thread other([&t] { t.handle.resume(); });
    other.join();
    t.handle.resume();
    t.handle.destroy();
    std::printf("%d\n", counter);
}
