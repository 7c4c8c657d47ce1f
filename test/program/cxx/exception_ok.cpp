// Exceptions through instrumented frames: destructors run, and the shadow stacks are correct
// afterwards.
// want: none
// stdout: 200 200
#include <cstdio>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>

std::mutex m;
int caught, unwound;

struct guard {
    ~guard() { unwound++; }
};

static __attribute__((noinline)) void deep(int n)
{
    guard g;
    if (n == 0)
        throw std::runtime_error("deep");
    deep(n - 1);
}

static void work()
{
    for (int i = 0; i < 20; i++) {
        std::lock_guard<std::mutex> lock(m);
        try {
            deep(4);
        } catch (const std::exception &e) {
            caught += std::string(e.what()) == "deep" ? 5 : 0;
        }
    }
}

int main()
{
    std::thread a(work), b(work);
    a.join();
    b.join();
    std::printf("%d %d\n", caught, unwound);
}
