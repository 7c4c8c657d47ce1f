// A thread-local destructor runs in the thread that ends, and can race.
// want: race gone at DESTRUCTOR MAIN
#include "order.h"
#include <thread>

int gone;

struct own {
    int used = 0;
    ~own()
    {
        gone++; /* DESTRUCTOR */
        order_point(0);
    }
};
thread_local own mine;

int main()
{
    std::thread t([] { mine.used = 1; });
    order_point(1);
    gone++; /* MAIN */
    t.join();
}
