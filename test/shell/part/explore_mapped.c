/* Writes to a file, and reads what it wrote through a shared mapping of the file. */
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/mman.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int fd;
static volatile char *at;

static void *writes(void *arg)
{
    pthread_mutex_lock(&m);
    assert(pwrite(fd, arg, 1, 0) == 1 && at[0] == *(char *)arg);
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t[2];
    fd = open("mapped.data", O_RDWR | O_CREAT | O_TRUNC, 0600);
    assert(write(fd, "a", 1) == 1);
    at = mmap(NULL, 4096, PROT_READ, MAP_SHARED, fd, 0);
    assert(at != MAP_FAILED);
    pthread_create(&t[0], NULL, writes, "b");
    pthread_create(&t[1], NULL, writes, "c");
    pthread_join(t[0], NULL);
    return pthread_join(t[1], NULL);
}
