/*
 * figure17.h - the four programs of Figure 17 of the paper on Portend+ (docs/analysis/judge.md). T1
 * writes 2 to globalx and 1 to globaly, T2 writes 2 to globalx, and a third thread, main in the
 * paper, reads both without synchronisation. It prints globaly, then globalx.
 *
 * The paper reads globalx first, so that "0 and 1" also happens with sequential consistency, and
 * its programs with a bug test globaly == 2, which is never written. Here globaly is read first:
 * globaly == 1 and globalx == 0 needs weak memory.
 */
#include <pthread.h>
#include <stdio.h>

static volatile int globalx __attribute__((aligned(8))), globaly __attribute__((aligned(8)));
static pthread_barrier_t barrier;

static void *work0(void *unused);
static void *work1(void *unused);

static void *reader(void *unused)
{
    (void)unused;
    int y = globaly;
    int x = globalx;
    return (void *)(long)(y * 10 + x);
}

int main(void)
{
    void *(*const body[])(void *) = {work0, work1, reader};
    pthread_t t[3];
    void *seen = NULL;
    pthread_barrier_init(&barrier, NULL, 2);
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, body[i], NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], &seen);
    printf("%02ld\n", (long)seen);
    return 0;
}
