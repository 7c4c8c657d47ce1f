/* A thread reads an array in a loop while main stores input into it. Prints "seen" if the thread
 * has read the stored value. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>

int count = 4000, shared[4096];
static unsigned result;
static atomic_int started;

__attribute__((noinline)) static unsigned fold(const int *a)
{
    unsigned s = 1;
    for (int i = 0; i < count; i++)
        s = s * 3 + (unsigned)a[i];
    return s;
}

static void *worker(void *argument)
{
    atomic_store(&started, 1);
    result = fold(shared);
    return argument;
}

int main(int argc, char **argv)
{
    pthread_t thread;
    int input = atoi(argv[argc - 1]);
    unsigned before = fold(shared);
    pthread_create(&thread, NULL, worker, NULL);
    while (!atomic_load(&started))
        ;
    shared[3900] = input;
    pthread_join(thread, NULL);
    if (result != before)
        puts("seen");
    if (result == 12345)
        puts("wanted");
    return 0;
}
