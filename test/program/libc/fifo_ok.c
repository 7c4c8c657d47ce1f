// A named pipe creates order like a pipe, although it is opened as a file.
// want: none
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

int shared;
char path[64];
static void *work(void *arg)
{
    int fd = open(path, O_WRONLY);
    shared = 1;
    if (write(fd, "x", 1) != 1)
        shared = 3;
    close(fd);
    return arg;
}
int main(void)
{
    pthread_t t;
    char c;
    snprintf(path, sizeof path, "fifo.%d", getpid());
    if (mkfifo(path, 0600))
        return 1;
    pthread_create(&t, NULL, work, NULL);
    int fd = open(path, O_RDONLY);
    if (read(fd, &c, 1) != 1)
        return 1;
    shared++;
    pthread_join(t, NULL);
    unlink(path);
    return shared != 2;
}
