/* Leaves something changed at its end that copies of the process share: memory, a pipe, or the
 * names of files. The program itself is correct. */
#undef NDEBUG
#include <assert.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int *count, pipes[2];
static char name[] = "name-XXXXXX";

static void *add(void *arg)
{
    pthread_mutex_lock(&m);
    ++*count;
    pthread_mutex_unlock(&m);
    return arg;
}
static void *send(void *arg)
{
    assert(write(pipes[1], "ab", 2) == 2);
    return arg;
}
static void *look(void *arg)
{
    int fd = open(name, O_RDONLY);
    assert(fd >= 0);
    close(fd);
    return arg;
}
static void in_two_threads(void *(*work)(void *))
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}
int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    char c;
    if (!strcmp(what, "memory")) {
        count = mmap(NULL, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
        in_two_threads(add);
        assert(*count == 2);
    } else if (!strcmp(what, "pipe")) {
        assert(pipe(pipes) == 0);
        in_two_threads(send);
        assert(read(pipes[0], &c, 1) == 1 && c == 'a');
    } else if (!strcmp(what, "names")) {
        int fd = mkstemp(name);
        assert(fd >= 0);
        close(fd);
        in_two_threads(look);
        unlink(name);
    }
    return 0;
}
