// A std::call_once whose function throws is repeated, ordered after the failed call.
// want: none
// tsan: its pthread_once never ends after an exception
#include <cassert>
#include <mutex>
#include <thread>

std::once_flag once;
int tries, x;

static void init()
{
    if (++tries < 3)
        throw tries;
    x = 1;
}

static void work()
{
    for (;;)
        try {
            std::call_once(once, init);
            assert(x == 1);
            return;
        } catch (int) {
        }
}

int main()
{
    std::thread a(work), b(work), c(work);
    a.join();
    b.join();
    c.join();
    assert(tries == 3);
}
