/* One thread waits for its standard input, and another one tests a flag in a loop that ends after
 * many tests. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <unistd.h>

static int shared;
atomic_int never; /* not static: the compiler would remove the loop */

static void *second(void *arg)
{
    shared = 1;
    return arg;
}
static void *first(void *arg)
{
    for (int i = 0; i < 20000 && !never; i++)
        ;
    shared = 2;
    return arg;
}
static void *outside(void *arg)
{
    char c;
    if (read(0, &c, 1) < 0)
        perror("read");
    return arg;
}

int main(void)
{
    void *(*const run[3])(void *) = {second, first, outside};
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, run[i], NULL);
    pthread_join(t[0], NULL);
    pthread_join(t[1], NULL);
    printf("%d\n", shared);
    return 0;
}
