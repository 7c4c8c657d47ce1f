/* Two threads write a block each to a file, at the position that take returns. */
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

volatile int next;
static int fd;
static int take(long number);

static void *work(void *number)
{
    char block[4] = {'a', 'a', 'a', '\n'};
    int at = take((long)number);
    return pwrite(fd, block, sizeof block, at * (long)sizeof block) == sizeof block ? NULL : number;
}

int main(void)
{
    pthread_t t[2];
    fd = open("blocks.out", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return fd < 0 || close(fd);
}
