/* Two threads write to a pipe that only the program itself reads: their order is not a result. */
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

static int ends[2];

static void *writes(void *word) { return write(ends[1], word, 1) == 1 ? NULL : word; }

int main(void)
{
    pthread_t a, b;
    char got[2];
    if (pipe(ends))
        return 1;
    pthread_create(&a, NULL, writes, "a");
    pthread_create(&b, NULL, writes, "b");
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    if (read(ends[0], got, 2) != 2)
        return 1;
    puts("done");
    return 0;
}
