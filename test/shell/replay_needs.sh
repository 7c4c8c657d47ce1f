# shellcheck shell=bash disable=SC2154
# Everything that a replay needs is in the clip: --watch, the limit of the stack. A jump out of the
# handler of a fault replays, also when every event is traced.

cat >beyond.c <<'C'
#include <stdlib.h>
int main(void)
{
    volatile char *p = malloc(10);
    p[12] = 1;
    return 0;
}
C
cat >jump.c <<'C'
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
C
for level in -O0 -O1 -O2; do
    "$PF" cc -g $level beyond.c -o beyond
    status 66 "$PF" record --watch -o w.clip -- ./beyond
    status 66 "$PF" replay w.clip
    has err "outside of a heap block"
    status 0 "$PF" record -o w.clip -- ./beyond
    status 66 "$PF" replay --watch w.clip

    "$PF" cc -g $level jump.c -o jump
    for arguments in "" repair; do
        for policy in rr:1000 rr:1 random:1 pos:1; do
            # shellcheck disable=SC2086
            status 3 "$PF" record -o j.clip --schedule=$policy -- ./jump $arguments
            cp out recorded
            status 3 "$PF" replay j.clip
            cmp out recorded
            status 0 "$PF" dump -o events.txt j.clip
            hasnt err diverged
            status 3 "$PF" replay --watch j.clip
        done
    done
done

# Another limit of the stack moves the mappings of the program.
cat >where.c <<'C'
#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    void *p = malloc(1 << 20);
    printf("%p %p\n", p, (void *)&p);
    free(p);
    return 0;
}
C
"$PF" cc -g where.c -o where
status 0 "$PF" record -o s.clip -- ./where
cp out recorded
(
    ulimit -S -s 4096
    status 0 "$PF" replay s.clip
)
cmp out recorded
