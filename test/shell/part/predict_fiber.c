// A fiber of the main thread races with a thread. The switches are calls of code without checks.
#include <pthread.h>
#include <sanitizer/tsan_interface.h>
#include <ucontext.h>

static ucontext_t home, away;
static void *home_fiber, *away_fiber;
static char stack[1 << 18];
int x;

static void run(void)
{
    x = 1;
    __tsan_switch_to_fiber(home_fiber, 0);
    swapcontext(&away, &home);
}

static void *other(void *arg)
{
    x = 2;
    return arg;
}

int main(void)
{
    pthread_t t;
    home_fiber = __tsan_get_current_fiber();
    away_fiber = __tsan_create_fiber(0);
    getcontext(&away);
    away.uc_stack.ss_sp = stack;
    away.uc_stack.ss_size = sizeof stack;
    makecontext(&away, run, 0);
    pthread_create(&t, 0, other, 0);
    __tsan_switch_to_fiber(away_fiber, 0);
    swapcontext(&home, &away);
    pthread_join(t, 0);
    __tsan_destroy_fiber(away_fiber);
    return 0;
}
