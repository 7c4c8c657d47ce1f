// Fibers under a sampling policy: each has its own counts of calls, and keeps them when it
// continues on another kernel thread after its creator has ended. A destroyed fiber leaves those of
// its destroyer alone. A kernel thread may end inside a fiber.
// want: none
// pf: --sample=atexrace
#include <pthread.h>
#include <sanitizer/tsan_interface.h>
#include <ucontext.h>

#define CALLS 200
long x;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static ucontext_t home, away;
static void *home_fiber, *away_fiber;
static char stack[1 << 18];

static __attribute__((noinline)) void add(int i)
{
    pthread_mutex_lock(&m);
    x += i;
    pthread_mutex_unlock(&m);
}

static __attribute__((noinline)) void calls(void)
{
    for (int i = 0; i < CALLS; i++)
        add(1);
}

static void run(void)
{
    for (;;) {
        calls();
        __tsan_switch_to_fiber(home_fiber, 0);
        swapcontext(&away, &home);
    }
}

static __attribute__((noinline)) void visit(void)
{
    home_fiber = __tsan_get_current_fiber();
    __tsan_switch_to_fiber(away_fiber, 0);
    swapcontext(&home, &away);
    calls();
}

static void *create(void *arg)
{
    away_fiber = __tsan_create_fiber(0);
    getcontext(&away);
    away.uc_stack.ss_sp = stack;
    away.uc_stack.ss_size = sizeof stack;
    makecontext(&away, run, 0);
    visit();
    return arg;
}

static void *end_inside(void *arg)
{
    __tsan_switch_to_fiber(__tsan_create_fiber(0), 0);
    calls();
    return arg;
}

static int done;
static void *busy(void *arg) /* its calls read what the other threads run */
{
    while (!__atomic_load_n(&done, __ATOMIC_RELAXED))
        calls();
    return arg;
}

int main(void)
{
    pthread_t t, b;
    pthread_create(&b, NULL, busy, NULL);
    pthread_create(&t, NULL, create, NULL);
    pthread_join(t, NULL);
    for (int i = 0; i < 50; i++)
        visit();
    __tsan_destroy_fiber(away_fiber);
    calls();
    for (int i = 0; i < 8; i++) {
        void *f = __tsan_create_fiber(0);
        calls();
        __tsan_destroy_fiber(f);
        calls();
        pthread_create(&t, NULL, end_inside, NULL);
        pthread_join(t, NULL);
    }
    __atomic_store_n(&done, 1, __ATOMIC_RELAXED);
    pthread_join(b, NULL);
    return 0;
}
