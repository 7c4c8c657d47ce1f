// File locks, each thread with its own open file description: flock and fcntl's; a close unlocks
// too.
// want: none
#define _GNU_SOURCE
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <sys/file.h>
#include <unistd.h>

int by_flock, by_fcntl, by_close;
static char name[] = "/tmp/pf-file-lock-XXXXXX";
static pthread_barrier_t opened;

static void *work(void *arg)
{
    int fd = open(name, O_RDWR), other = open(name, O_RDWR);
    assert(fd >= 0 && other >= 0);
    pthread_barrier_wait(&opened);
    for (int i = 0; i < 20; i++) {
        flock(fd, LOCK_EX);
        by_flock++;
        flock(fd, LOCK_UN);
        struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
        assert(fcntl(fd, F_OFD_SETLKW, &lock) == 0);
        by_fcntl++;
        lock.l_type = F_UNLCK;
        fcntl(fd, F_OFD_SETLK, &lock);
    }
    flock(other, LOCK_EX);
    int same = dup(other);
    close(other);
    by_close++;
    close(same);
    close(fd);
    return arg;
}
int main(void)
{
    pthread_t a, b;
    int fd = mkstemp(name);
    assert(fd >= 0);
    pthread_barrier_init(&opened, NULL, 2);
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    unlink(name);
    return by_flock != 40 || by_fcntl != 40 || by_close != 2;
}
