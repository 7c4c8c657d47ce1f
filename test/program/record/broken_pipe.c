// A program that dies of SIGPIPE: the failure has a stack and a clip.
// levels: O1
// case: record -- pipe
// exit: 141
// case: hatch
// exit: 66
// out: WARNING: photofinish: crash
// out: #1 send
// out: Cause: the program died of signal 13 (SIGPIPE, write to a pipe that nobody reads)
#include <pthread.h>
#include <unistd.h>

__attribute__((noinline)) static void send(int fd)
{
    if (write(fd, "x", 1) == 1)
        _exit(1);
}
static void *work(void *arg)
{
    int ends[2];
    if (pipe(ends) || close(ends[0]))
        _exit(2);
    send(ends[1]);
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    pthread_join(t, NULL);
    return 0;
}
