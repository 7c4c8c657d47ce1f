// Opening a named pipe for reading and opening it for writing wait for each other: each is ordered
// after what the other did before.
// want: none
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

static int of_reader, of_writer;
static char path[64];

static void *reader(void *arg)
{
    of_reader = 1;
    int fd = open(path, O_RDONLY);
    of_writer++;
    close(fd);
    return arg;
}

static void *writer(void *arg)
{
    of_writer = 1;
    int fd = openat(AT_FDCWD, path, O_WRONLY);
    of_reader++;
    close(fd);
    return arg;
}

int main(void)
{
    pthread_t a, b;
    snprintf(path, sizeof path, "fifo.%d", getpid());
    if (mkfifo(path, 0600))
        return 1;
    pthread_create(&a, NULL, reader, NULL);
    pthread_create(&b, NULL, writer, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    unlink(path);
    return of_reader != 2 || of_writer != 2;
}
