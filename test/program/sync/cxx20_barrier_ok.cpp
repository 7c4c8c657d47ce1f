// std::barrier: arrivals happen before the completion function, which happens before the
// departures.
// want: none
// std: c++20
#include <barrier>
#include <cassert>
#include <thread>

enum { THREADS = 3, ROUNDS = 50 };
int sum, part[THREADS];

static void complete() noexcept
{
    sum = 0;
    for (int p : part)
        sum += p;
}
std::barrier<void (*)() noexcept> b(THREADS, complete);

static void work(int me)
{
    for (int i = 0; i < ROUNDS; i++) {
        part[me] = i;
        b.arrive_and_wait();
        assert(sum == THREADS * i);
        b.arrive_and_wait();
    }
}

int main()
{
    std::thread s(work, 0), t(work, 1), u(work, 2);
    s.join();
    t.join();
    u.join();
}
