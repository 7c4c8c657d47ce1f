/* A message through a pipe orders the accesses of x, but not those of y. */
#include <pthread.h>
#include <unistd.h>

int fd[2], x, y;

static void *send_one(void *arg)
{
    x = 1;
    if (write(fd[1], "a", 1) != 1)
        return &x;
    y = 2;
    return arg;
}

int main(void)
{
    pthread_t t;
    char c;
    if (pipe(fd))
        return 1;
    pthread_create(&t, NULL, send_one, NULL);
    if (read(fd[0], &c, 1) != 1)
        return 1;
    x++;
    y = 1;
    return pthread_join(t, NULL);
}
