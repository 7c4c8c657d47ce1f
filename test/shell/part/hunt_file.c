/* Reads a file that an argument names. If it begins with "go7", two threads use `total` without a
 * lock. */
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int shared_mode;
static long total;

static void *add(void *p)
{
    if (shared_mode)
        total++;
    return p;
}

static void *print(void *p)
{
    if (shared_mode)
        printf("%ld\n", total);
    return p;
}

int main(int argc, char **argv)
{
    char text[8] = {0};
    int fd = argc > 1 ? open(argv[1], O_RDONLY) : -1;
    if (fd < 0 || read(fd, text, sizeof text - 1) < 3)
        return 1;
    close(fd);
    shared_mode = text[0] == 'g' && text[1] == 'o' && text[2] == '7';
    pthread_t a, b;
    pthread_create(&a, NULL, add, NULL);
    pthread_create(&b, NULL, print, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
