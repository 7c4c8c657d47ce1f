/* Labels of arguments that are passed by value in memory, and to a new thread. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct big {
    long a[5];
    int n;
};

__attribute__((noinline)) static void get(struct big b, int i)
{
    if (b.n > 7 && b.a[i & 3] == 5)
        puts("both");
}

static void *start(void *arg)
{
    if (arg)
        puts("a thread");
    return NULL;
}

int main(int argc, char **argv)
{
    struct big b = {{1, 2, 3, 4, 5}, atoi(argv[1])};
    pthread_t t;
    b.a[2] = atol(argv[2]);
    get(b, 2);
    pthread_create(&t, NULL, start, b.n > 20 ? argv : NULL);
    pthread_join(t, NULL);
    return 0;
}
