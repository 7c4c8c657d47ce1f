// pthread_exit in a nested call; the join is ordered after everything the thread did.
// want: none
#include <assert.h>
#include <pthread.h>

int x;

static __attribute__((noinline)) void deep(int n)
{
    x++;
    if (n == 0)
        pthread_exit(&x);
    deep(n - 1);
    x = 0;
}

static void *worker(void *arg)
{
    deep(10);
    return arg;
}

int main(void)
{
    pthread_t t;
    void *result;
    pthread_create(&t, NULL, worker, NULL);
    pthread_join(t, &result);
    assert(result == &x && x == 11);
    return 0;
}
