// An eventfd as a work counter, with write and with eventfd_write.
// want: none
#include <pthread.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

int shared, fd;
static void *work(void *arg)
{
    shared = 1;
    eventfd_write(fd, 1);
    return arg;
}
static void *more(void *arg)
{
    uint64_t n;
    if (read(fd, &n, sizeof n) == sizeof n)
        shared++;
    n = 1;
    if (write(fd, &n, sizeof n) != sizeof n)
        shared = 100;
    return arg;
}
int main(void)
{
    pthread_t t, u;
    eventfd_t n;
    fd = eventfd(0, 0);
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    pthread_create(&u, NULL, more, NULL);
    pthread_join(u, NULL);
    eventfd_read(fd, &n);
    return shared != 2;
}
