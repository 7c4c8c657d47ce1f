// want: none
// std: c++20
// case: record
// case: hatch
/* std::latch and std::barrier. */
#include <barrier>
#include <latch>
#include <thread>
static std::latch ready(2);
static int part[2], phases;
static std::barrier step(2, []() noexcept { phases++; });
static void work(int i)
{
    part[i] = i + 1;
    ready.arrive_and_wait();
    for (int k = 0; k < 2; k++) {
        int other = part[!i];
        step.arrive_and_wait();
        part[i] += other;
        step.arrive_and_wait();
    }
}
int main()
{
    std::thread a(work, 0), b(work, 1);
    a.join();
    b.join();
    return phases != 4;
}
