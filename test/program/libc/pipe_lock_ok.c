// A byte in a pipe as a lock with heavy contention.
// want: none
// stdout: 1600 1600
#include <pthread.h>
#include <stdio.h>
#include <unistd.h>

enum { THREADS = 16, ROUNDS = 100 };

static int ends[2];
long x, y;

static void *work(void *arg)
{
    char c = 0;
    for (int i = 0; i < ROUNDS; i++) {
        if (read(ends[0], &c, 1) != 1)
            return arg;
        x++;
        y++;
        if (write(ends[1], &c, 1) != 1)
            return arg;
    }
    return NULL;
}

int main(void)
{
    pthread_t t[THREADS];
    if (pipe(ends) || write(ends[1], "", 1) != 1)
        return 1;
    for (int i = 0; i < THREADS; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < THREADS; i++)
        pthread_join(t[i], NULL);
    printf("%ld %ld\n", x, y);
    return 0;
}
