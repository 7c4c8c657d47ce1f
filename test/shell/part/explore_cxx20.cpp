// explore_cxx20 CASE: std::atomic::wait with and without a notification, a semaphore, and a latch.
#include <atomic>
#include <cstdio>
#include <cstring>
#include <latch>
#include <semaphore>
#include <thread>

static std::atomic<int> word;
static int plain;

static void notified()
{
    std::thread waiter([] {
        word.wait(0);
        std::printf("%d\n", plain);
    });
    plain = 1;
    word.store(1);
    word.notify_one();
    waiter.join();
}

static void forgotten()
{
    std::thread waiter([] { word.wait(0); });
    word.store(1);
    waiter.join();
}

static void semaphore()
{
    std::counting_semaphore<4> free(0);
    std::thread taker([&] {
        free.acquire();
        std::printf("%d\n", plain);
    });
    plain = 1;
    free.release();
    taker.join();
}

static void latch()
{
    std::latch both(2);
    std::thread other([&] { both.arrive_and_wait(); });
    both.arrive_and_wait();
    std::puts("passed");
    other.join();
}

int main(int argc, char **argv)
{
    const struct {
        const char *name;
        void (*run)();
    } cases[] = {{"notified", notified},
                 {"forgotten", forgotten},
                 {"semaphore", semaphore},
                 {"latch", latch}};
    for (auto &c : cases)
        if (argc > 1 && !std::strcmp(c.name, argv[1]))
            c.run();
    return 0;
}
