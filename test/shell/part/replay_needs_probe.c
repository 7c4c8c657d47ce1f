/* Probes memory as libunwind does, with a pipe that was made before: descriptors 3 and 4. */
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
    char byte;
    pthread_create(&t, 0, add, 0);
    shared++;
    const char *stack = __builtin_frame_address(0);
    for (int below = 256; below < 4096; below += 8)
        if (write(4, stack - below, 1) != 1 || read(3, &byte, 1) != 1)
            return 2;
    pthread_join(t, 0);
    return 0;
}
