// Threads on small stacks that the program provides: in recordings, in their replays, with memory
// checks, and in free runs. The last argument is the size in KiB; `own`: glibc allocates them.
// case: record -- {16,20,32,64}
// stdout: 3
// err: a small stack that the program provides for a thread is too small for a recording
// case: record -- 96
// stdout: 3
// noerr: a small stack
// case: record --watch -- {16,32,64}
// stdout: 3
// case: run -- {16,32}
// stdout: 3
// err: a small stack that the program provides for a thread is too small for the checks
// case: {run,record} -- own {16,24}
// stdout: 3
// noerr: a small stack
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n;
static void *work(void *arg)
{
    char text[6000];
    pthread_mutex_lock(&m);
    n++;
    snprintf(text, sizeof text, "%d %f", n, 1.5 * n);
    pthread_mutex_unlock(&m);
    return arg;
}
int main(int argc, char **argv)
{
    size_t size = (size_t)atoi(argv[argc - 1]) << 10;
    pthread_t t[3];
    for (int i = 0; i < 3; i++) {
        pthread_attr_t attr;
        void *stack =
            i ? aligned_alloc(4096, size)
              : mmap(NULL, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (pthread_attr_init(&attr) ||
            (argc > 2 ? pthread_attr_setstacksize(&attr, size)
                      : pthread_attr_setstack(&attr, stack, size)) ||
            pthread_create(&t[i], &attr, work, NULL))
            return 1;
    }
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    printf("%d\n", n);
    return 0;
}
