/* A handler of SIGSEGV jumps out of the fault. The recording can be replayed with tracing. */
#include <setjmp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>
static sigjmp_buf j;
static void handler(int s)
{
    (void)s;
    siglongjmp(j, 1);
}
int main(void)
{
    void *mem = mmap(0, 4096, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    signal(SIGSEGV, handler);
    if (!sigsetjmp(j, 1)) {
        ((volatile int *volatile)mem)[0] = 0;
        fprintf(stderr, "not reached\n");
        abort();
    }
    return 0;
}
