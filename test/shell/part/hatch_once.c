/* Refuses to run a second time, because its output file exists then. The race is on `done`. */
#include <fcntl.h>
#include <pthread.h>
#include <unistd.h>

static int done;

static void *work(void *p)
{
    done = 1;
    return p;
}

int main(void)
{
    int fd = open("once.out", O_CREAT | O_EXCL | O_WRONLY, 0644);
    if (fd < 0)
        return 1;
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    int seen = done;
    pthread_join(t, NULL);
    close(fd);
    return seen > 1;
}
