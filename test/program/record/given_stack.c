// Threads on small stacks that the program provides: in recordings, in their replays, with memory
// checks, and in free runs. The last argument is the size in KiB; `own`: glibc allocates them. The
// threads run on the core that they inherit, or on the one in their attributes. `again`: one after
// another; they leave no memory behind.
// case: record -- {16,20,32,64}
// stdout: 3
// err: the stack that the program provides for a thread is too small for a recording
// case: record -- 96
// stdout: 3
// noerr: a small stack
// case: record --watch -- {16,32,64}
// stdout: 3
// case: run -- {16,32}
// stdout: 3
// err: the stack that the program provides for a thread is too small for the checks
// case: {run,record} -- own {16,24}
// stdout: 3
// noerr: a small stack
// case: run -- again 16
// stdout: 20
#define _GNU_SOURCE
#include <malloc.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
static cpu_set_t one_core;
static void *work(void *arg)
{
    char text[6000];
    cpu_set_t cores;
    if (sched_getaffinity(0, sizeof cores, &cores) || CPU_COUNT(&cores) != 1)
        abort();
    pthread_mutex_lock(&m);
    n++;
    snprintf(text, sizeof text, "%d %f", n, 1.5 * n);
    pthread_mutex_unlock(&m);
    return arg;
}
static void create(pthread_t *t, void *stack, size_t size, int affinity)
{
    pthread_attr_t attr;
    if (pthread_attr_init(&attr) ||
        (stack ? pthread_attr_setstack(&attr, stack, size)
               : pthread_attr_setstacksize(&attr, size)) ||
        (affinity && pthread_attr_setaffinity_np(&attr, sizeof one_core, &one_core)) ||
        pthread_create(t, &attr, work, NULL))
        abort();
    pthread_attr_destroy(&attr);
}
int main(int argc, char **argv)
{
    size_t size = (size_t)atoi(argv[argc - 1]) << 10, used = 0;
    int again = argc > 2 && !strcmp(argv[1], "again"), own = argc > 2 && !again;
    pthread_t t[3];
    CPU_SET(sched_getcpu(), &one_core);
    if (sched_setaffinity(0, sizeof one_core, &one_core))
        return 1;
    void *stack = mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    for (int i = 0; again && i < 20; i++) {
        create(&t[0], stack, size, 1);
        pthread_join(t[0], NULL);
        if (i == 9) /* the first threads fill caches */
            used = mallinfo2().uordblks;
    }
    if (again && mallinfo2().uordblks != used)
        return 1;
    for (int i = 0; !again && i < 3; i++)
        create(&t[i], own ? NULL : i ? aligned_alloc(4096, size) : stack, size, i == 2);
    for (int i = 0; !again && i < 3; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", n);
    return 0;
}
