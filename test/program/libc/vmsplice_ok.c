// vmsplice writes to a pipe, and reads from one.
// want: none
// direct: vmsplice is not recorded (the recording says so), and waits inside the kernel
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <sys/uio.h>
#include <unistd.h>

int there_and, back, to[2], from[2];
static void *work(void *arg)
{
    char c = 0;
    struct iovec v = {&c, 1}, w = {"x", 1};
    there_and = 1;
    if (vmsplice(to[1], &w, 1, 0) != 1 || vmsplice(from[0], &v, 1, 0) != 1)
        back = 7;
    back++;
    return arg;
}
int main(void)
{
    pthread_t t;
    char c;
    if (pipe(to) || pipe(from))
        return 1;
    pthread_create(&t, NULL, work, NULL);
    if (read(to[0], &c, 1) != 1)
        return 1;
    there_and++;
    back = 1;
    if (write(from[1], "y", 1) != 1)
        return 1;
    pthread_join(t, NULL);
    return there_and != 2 || back != 2;
}
