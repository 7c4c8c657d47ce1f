/* Calls the functions of the runtime that programs built with -fsanitize=thread need. The argument
 * `clean` uses them without a finding. `threads` fails if ended threads keep address space. `jump`,
 * `vptr`, `free` and `memcpy` have one race each, and `order` takes two locks in both orders. */
#include "order.h"
#include <atomic>
#include <csetjmp>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <mutex>
#include <pthread.h>
#include <stdexcept>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

struct base {
    virtual ~base() { __asm__ volatile("" ::: "memory"); }
    virtual int value() const { return 1; }
};
struct derived : base {
    ~derived() override { order_yield(); }
    int value() const override { return 2; }
};

int counter;
char from[64], to[64];
std::mutex lock;
std::atomic<int> ready;
std::atomic<unsigned long> sum;
alignas(derived) char storage[sizeof(derived)];
pthread_mutex_t first = PTHREAD_MUTEX_INITIALIZER, second = PTHREAD_MUTEX_INITIALIZER;
static jmp_buf back;

static __attribute__((noinline)) int use(base *b) { return b->value(); }
static __attribute__((noinline)) void deep(int n)
{
    if (n)
        deep(n - 1);
    else
        longjmp(back, 1);
    counter += 0;
}
static __attribute__((noinline)) int thrower(int n)
{
    if (!n)
        throw std::runtime_error("thrown");
    return thrower(n - 1) + 1;
}

static int clean()
{
    std::vector<std::thread> threads;
    int passed = 7;
    for (int i = 0; i < 4; i++)
        threads.emplace_back([&passed] {
            std::lock_guard<std::mutex> held(lock);
            counter++;
            passed += counter;
            sum.fetch_add(3, std::memory_order_relaxed);
        });
    for (auto &t : threads)
        t.join();
    std::thread reader([] {
        while (!ready.load(std::memory_order_acquire))
            order_yield();
        counter++;
    });
    counter++;
    ready.store(1, std::memory_order_release);
    reader.join();
    try {
        thrower(3);
    } catch (const std::exception &e) {
        counter++;
    }
    if (!setjmp(back))
        deep(5);
    int expected = 1;
    ready.compare_exchange_strong(expected, 5);
    memcpy(to, from, sizeof to);
    std::string text(100, 'x');
    if (fork() == 0)
        _exit(counter == 7 ? 0 : 1);
    int status;
    wait(&status);
    printf("%d %lu %d\n", counter, sum.load(), WEXITSTATUS(status));
    return counter == 7 && !WEXITSTATUS(status) ? 0 : 1;
}

static __attribute__((noinline)) void bump() { counter++; /* BUMP */ }

static void after_jump()
{
    if (!setjmp(back))
        deep(5);
    try {
        thrower(3);
    } catch (const std::exception &e) {
    }
    bump(); /* AFTER */
}

static long pages()
{
    long n = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%ld", &n) != 1)
        abort();
    fclose(f);
    return n;
}

static int threads()
{
    long before = 0;
    for (int i = 0; i < 60; i++) {
        if (i == 10)
            before = pages();
        std::thread t([] { bump(); });
        t.join();
    }
    return pages() - before > 50l << 20 >> 12; /* 1 MB per thread */
}

int main(int argc, char **argv)
{
    std::string what = argc > 1 ? argv[1] : "clean";
    if (what == "clean")
        return clean();
    if (what == "threads")
        return threads();
    if (what == "order") {
        for (int i = 0; i < 2; i++) {
            std::thread t([i] {
                pthread_mutex_lock(i ? &second : &first);
                pthread_mutex_lock(i ? &first : &second);
                pthread_mutex_unlock(&first);
                pthread_mutex_unlock(&second);
            });
            t.join();
        }
        return 0;
    }
    base *b = what == "vptr" ? new (storage) derived : nullptr;
    int *block = (int *)malloc(64);
    memset(block, 0, 64);
    std::thread t([what, b, block] {
        if (what == "jump")
            after_jump();
        else if (what == "vptr")
            use(b);
        else if (what == "free")
            free(block);
        else
            memcpy(to, from, sizeof to);
        order_point(0);
    });
    order_point(1);
    if (what == "jump")
        bump();
    else if (what == "vptr")
        b->~base();
    else if (what == "free")
        block[8] = 1;
    else
        to[3] = 1;
    t.join();
    return 0;
}
