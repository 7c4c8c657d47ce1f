// want: none
// flags: -fpf-use-after-scope
// tsan: clang does not know the flag
// Variables are used in their scopes only. Functions are left by a return, an exception and
// longjmp, and other functions then use the same memory. Threads that have ended take no memory.
#include <csetjmp>
#include <cstdio>
#include <cstring>
#include <pthread.h>

static __thread int sum;
static __thread jmp_buf back;

static __attribute__((noinline)) void add(const int *p) { sum += *p; }

static __attribute__((noinline)) void leave(int how)
{
    for (int i = 0; i < 3; i++) {
        int inner[8] = {i};
        add(inner);
    }
    if (how == 1)
        throw how;
    if (how == 2)
        longjmp(back, 1);
}

static __attribute__((noinline)) void reuse(int n)
{
    int all[64];
    memset(all, n, sizeof all);
    for (int i = 0; i < 64; i++)
        add(&all[i]);
}

static void *work(void *arg)
{
    for (volatile int i = 0; i < 30; i++) {
        try {
            if (!setjmp(back))
                leave(i % 3);
        } catch (int how) {
            add(&how);
        }
        reuse(i);
    }
    return arg;
}

static long pages_mapped()
{
    long n = 0;
    FILE *f = fopen("/proc/self/statm", "r");
    if (!f || fscanf(f, "%ld", &n) != 1)
        n = 0;
    fclose(f);
    return n;
}

int main()
{
    pthread_t t;
    pthread_create(&t, nullptr, work, nullptr);
    work(nullptr);
    pthread_join(t, nullptr);
    long before = pages_mapped();
    for (int i = 0; i < 50; i++) {
        pthread_create(&t, nullptr, work, nullptr);
        pthread_join(t, nullptr);
    }
    return before && pages_mapped() - before < 250 ? 0 : 1; /* 10 pages per thread would be 500 */
}
