// A jump out of the handler of a fault replays, also when every event is traced.
// levels: O0 O1 O2
// case: record --schedule={rr:1000,rr:1,random:1,pos:1} -- {,repair}
// exit: 3
// case: dump
// noerr: diverged
// case: replay --watch
// exit: 3
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
static sigjmp_buf j, inner;
static void *mem;
static volatile int times;
int a[4], b[4];
static void leave(int s)
{
    (void)s;
    if (!setjmp(inner))
        longjmp(inner, 1); /* stays in the handler */
    siglongjmp(j, 1);
}
static void repair(int s)
{
    (void)s;
    times++;
    mprotect(mem, 4096, PROT_READ | PROT_WRITE);
}
__attribute__((noinline)) static void work(volatile int *at)
{
    a[0] = b[1]; /* several events before and after the fault */
    a[1] = b[2];
    at[0] = 1;
    a[2] = b[3];
    a[3] = b[0];
}
int main(int argc, char **argv)
{
    for (volatile int i = 0; i < 5; i++) {
        mem = mmap(0, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        signal(SIGSEGV, argc > 1 ? repair : leave);
        if (!sigsetjmp(j, 1)) {
            work(mem);
            if (argc == 1)
                abort();
        }
        b[i % 4] = i;
    }
    printf("%d\n", times);
    return 3;
}
