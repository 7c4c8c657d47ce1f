// Two fibers on one thread that are switched without synchronisation race like threads.
// want: race x at HOME AWAY
// clip: directed mode runs all fibers of a kernel thread as one thread
// stack: HOME write_home main
// stack: AWAY write_away run
#define _GNU_SOURCE
#include <sanitizer/tsan_interface.h>
#include <stdlib.h>
#include <ucontext.h>

ucontext_t home, away;
void *home_fiber, *away_fiber;
int x;

static __attribute__((noinline)) void write_away(void) { x = 1; /* AWAY */ }
static __attribute__((noinline)) void write_home(void) { x = 2; /* HOME */ }

static void run(void)
{
    write_away();
    __tsan_switch_to_fiber(home_fiber, __tsan_switch_to_fiber_no_sync);
    swapcontext(&away, &home);
}

int main(void)
{
    char *stack = malloc(1 << 18);
    home_fiber = __tsan_get_current_fiber();
    away_fiber = __tsan_create_fiber(0);
    getcontext(&away);
    away.uc_stack.ss_sp = stack;
    away.uc_stack.ss_size = 1 << 18;
    makecontext(&away, run, 0);
    __tsan_switch_to_fiber(away_fiber, __tsan_switch_to_fiber_no_sync);
    swapcontext(&home, &away);
    write_home();
    __tsan_destroy_fiber(away_fiber);
    free(stack);
    return 0;
}
