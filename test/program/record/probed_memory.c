// libunwind writes a byte of memory into a pipe of its own, to see whether the memory is readable;
// tcmalloc calls libunwind. The byte may be of dead stack memory, which differs between a recording
// and its replays. With GIVEN_PIPE, descriptors 3 and 4 are the pipe.
// case: record --schedule={rr,random:1}
// case: hatch
// exit: 66
// out: 1 candidate: 1 real
#include <pthread.h>
#include <unistd.h>

int shared;

static void *add(void *arg)
{
    shared++;
    return arg;
}

int main(void)
{
    pthread_t t;
    int pipes[2];
    char byte;
#ifdef GIVEN_PIPE
    pipes[0] = 3, pipes[1] = 4;
#else
    if (pipe(pipes))
        return 1;
#endif
    pthread_create(&t, 0, add, 0);
    shared++;
    const char *stack = __builtin_frame_address(0);
    for (int below = 256; below < 4096; below += 8)
        if (write(pipes[1], stack - below, 1) != 1 || read(pipes[0], &byte, 1) != 1)
            return 2;
    pthread_join(t, 0);
    return 0;
}
