// std::latch: accesses before count_down are ordered before those after the wait.
// want: none
// std: c++20
#include <cassert>
#include <latch>
#include <thread>

std::latch l(3);
int part[3];

static void work(int i)
{
    part[i] = i + 1;
    l.count_down();
}

int main()
{
    std::thread a(work, 0), b(work, 1), c(work, 2);
    l.wait();
    assert(part[0] + part[1] + part[2] == 6);
    a.join();
    b.join();
    c.join();
}
