// One thread creates, another thread joins.
// want: none
#include <assert.h>
#include <pthread.h>

pthread_t made;
int x;

static void *worker(void *arg)
{
    x = 1;
    return arg;
}
static void *creator(void *arg)
{
    pthread_create(&made, NULL, worker, NULL);
    return arg;
}
static void *joiner(void *arg)
{
    pthread_join(made, NULL);
    assert(x == 1);
    x = 2;
    return arg;
}

int main(void)
{
    pthread_t s, t;
    pthread_create(&s, NULL, creator, NULL);
    pthread_join(s, NULL);
    pthread_create(&t, NULL, joiner, NULL);
    pthread_join(t, NULL);
    assert(x == 2);
    return 0;
}
