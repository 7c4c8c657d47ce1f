/* Refuses to overwrite its output, and has a race whose result it prints. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int kept;

static void *store(void *value)
{
    kept = *(int *)value;
    return NULL;
}

int main(void)
{
    int one = 1, two = 2, fd = open("result.txt", O_WRONLY | O_CREAT | O_EXCL, 0600);
    pthread_t a, b;
    if (fd < 0) {
        fputs("result.txt exists\n", stderr);
        return 1;
    }
    pthread_create(&a, NULL, store, &one);
    pthread_create(&b, NULL, store, &two);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    dprintf(fd, "%d\n", kept);
    return close(fd) != 0;
}
