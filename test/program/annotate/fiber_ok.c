// Fibers: a switch orders everything before it with everything after it; each fiber has its own
// stack.
// want: none
#define _GNU_SOURCE
#include <assert.h>
#include <sanitizer/tsan_interface.h>
#include <stdlib.h>
#include <ucontext.h>

ucontext_t home, away;
void *home_fiber, *away_fiber;
int x;

static __attribute__((noinline)) void go_home(void)
{
    __tsan_switch_to_fiber(home_fiber, 0);
    swapcontext(&away, &home);
}

static __attribute__((noinline)) void deep(int n)
{
    x++;
    if (n)
        deep(n - 1);
    else
        go_home();
    x++;
}

static void run(void)
{
    for (;;)
        deep(50);
}

int main(void)
{
    char *stack = malloc(1 << 18);
    home_fiber = __tsan_get_current_fiber();
    away_fiber = __tsan_create_fiber(0);
    __tsan_set_fiber_name(away_fiber, "away");
    getcontext(&away);
    away.uc_stack.ss_sp = stack;
    away.uc_stack.ss_size = 1 << 18;
    makecontext(&away, run, 0);
    for (int i = 0; i < 10; i++) {
        x++;
        __tsan_switch_to_fiber(away_fiber, 0);
        swapcontext(&home, &away);
    }
    assert(x == 10 + 10 * 51 + 9 * 51);
    __tsan_destroy_fiber(away_fiber);
    free(stack);
    return 0;
}
