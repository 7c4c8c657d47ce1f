// A worker reports its progress in a plain member that another thread waits for and then uses.
// race: job run wait_for single-ordering: `done` is polled before the result is read
// race: done run wait_for k-witness-harmless: the flag of ad hoc synchronisation
#include <cstdio>
#include <thread>

static volatile long job;
static volatile bool done;

static void run(long n)
{
    long sum = 0;
    for (long i = 0; i < n; i++)
        sum += i;
    job = sum;
    done = true;
}

static long wait_for()
{
    while (!done)
        std::this_thread::yield();
    return job;
}

int main()
{
    std::thread a(run, 10L);
    std::printf("%ld\n", wait_for());
    a.join();
}
