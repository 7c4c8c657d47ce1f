// The functions of a custom stream (fopencookie) run under the stream's lock; a memory stream
// moves its block under the lock.
// tsan: it does not see the lock of a stream
// want: none
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

long bytes;
FILE *counted, *memory;
char *text;
size_t size;

static ssize_t count(void *cookie, const char *data, size_t n)
{
    *(long *)cookie += (long)n;
    return (ssize_t)(data ? n : 0);
}

static void *work(void *arg)
{
    for (int i = 0; i < 200; i++) {
        fprintf(counted, "%d ", i);
        fputs("some text that makes it grow", memory);
        fflush(counted);
    }
    return arg;
}

int main(void)
{
    pthread_t t[3];
    counted = fopencookie(&bytes, "w", (cookie_io_functions_t){.write = count});
    memory = open_memstream(&text, &size);
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    fclose(counted);
    fclose(memory);
    free(text);
    return bytes == 0 || size != 3 * 200 * 28;
}
