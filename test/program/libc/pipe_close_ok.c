// End of file on a pipe is ordered after everything before the close; also through a duplicated
// descriptor.
// tsan: it creates no order for a close
// want: none
#include <pthread.h>
#include <unistd.h>

int shared, fds[2];
static void *work(void *arg)
{
    int copy = dup(fds[1]);
    close(fds[1]);
    shared = 1;
    dup2(fds[0], copy); /* closes the last write end */
    close(copy);
    return arg;
}
int main(void)
{
    pthread_t t;
    char c;
    if (pipe(fds))
        return 1;
    pthread_create(&t, NULL, work, NULL);
    if (read(fds[0], &c, 1) != 0)
        return 1;
    shared++;
    pthread_join(t, NULL);
    return shared != 2;
}
