// New threads get the stacks and the thread-local storage of ended ones: no races with old
// accesses.
// want: none
#include <pthread.h>

static __thread int counter;
int *volatile escaped;

static void *worker(void *arg)
{
    int local[64];
    for (int i = 0; i < 64; i++)
        local[i] = i;
    escaped = local;
    counter++;
    for (int i = 0; i < 64; i++)
        escaped[i]++;
    return (void *)(long)(counter != 1 || arg);
}

int main(void)
{
    long bad = 0;
    for (int i = 0; i < 50; i++) {
        pthread_t t;
        void *result;
        pthread_create(&t, NULL, worker, NULL);
        pthread_join(t, &result);
        bad += (long)result;
    }
    return bad != 0;
}
