/* For on_demand.sh: event bodies that use statics, exceptions, thread-local variables, inline
 * functions with statics, setjmp, a library and a library loaded later. */
#include "on_demand_part.h"
#include <atomic>
#include <csetjmp>
#include <cstdio>
#include <dlfcn.h>
#include <map>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

struct Three : std::runtime_error {
    using runtime_error::runtime_error;
};
namespace
{
struct Hidden {
    int v;
};
} // namespace
static std::map<std::string, int> table;
static std::mutex m;
static std::atomic<int> ready;
static const char *const names[] = {"zero", "one", "two", "three"};
static __thread int mine;

static int thrower(int n)
{
    if (n % 3 == 0)
        throw Three(names[3]);
    if (n % 5 == 0)
        throw Hidden{n};
    return n;
}

static void work(int id)
{
    for (int i = 0; i < 10; i++) {
        try {
            int v = thrower(i);
            std::lock_guard<std::mutex> g(m);
            table[names[v % 3]] += v;
            common_tls += other(v);
        } catch (const std::exception &e) {
            std::lock_guard<std::mutex> g(m);
            table[e.what()]++;
        } catch (const Hidden &h) {
            std::lock_guard<std::mutex> g(m);
            table["hidden"] += h.v + Counter<int>::add(i);
        }
        mine += id;
        ready++;
    }
}

static jmp_buf again;
static int jumps()
{
    volatile int n = 0;
    if (setjmp(again) < 3) {
        n = n + 1;
        longjmp(again, n);
    }
    return n;
}

int main(int argc, char **argv)
{
    std::vector<std::thread> threads;
    for (int i = 0; i < 3; i++)
        threads.emplace_back(work, i);
    for (auto &t : threads)
        t.join();
    for (auto &p : table)
        std::printf("%s=%d ", p.first.c_str(), p.second);
    std::printf("%d %d %d %d\n", ready.load(), Counter<int>::total, jumps(), mine);
    for (int i = 1; i < argc; i++) {
        void *library = dlopen(argv[i], RTLD_NOW);
        auto f = library ? reinterpret_cast<int (*)(int)>(dlsym(library, "other")) : nullptr;
        std::printf("%d %d\n", f ? f(i) : -1, Counter<int>::total);
    }
}
