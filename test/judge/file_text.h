/* A file whose text depends on `whole`, which two threads write. */
#include <fcntl.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

volatile int whole;
static void write_text(int fd);

static void put(int fd, const char *text, size_t n)
{
    if (n && write(fd, text, n) != (ssize_t)n)
        _exit(2);
}

static void *set(void *value)
{
    whole = (int)(long)value;
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    int fd = open("text.out", O_WRONLY | O_CREAT | O_TRUNC, 0600);
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, set, (void *)(1 - i));
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    write_text(fd);
    return fd < 0 || close(fd);
}
