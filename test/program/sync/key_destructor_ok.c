// Destructors of keys belong to the thread: every round of them happens before its join.
// want: none
#include <assert.h>
#include <pthread.h>

pthread_key_t key, again;
int x, y;

static void destroy(void *value) { ++*(int *)value; }

static void destroy_again(void *value)
{
    if (++*(int *)value < 3)
        pthread_setspecific(again, value);
}

static void *worker(void *arg)
{
    pthread_setspecific(key, &x);
    pthread_setspecific(again, &y);
    return arg;
}

int main(void)
{
    pthread_t t;
    pthread_key_create(&key, destroy);
    pthread_key_create(&again, destroy_again);
    for (int i = 1; i <= 10; i++) {
        pthread_create(&t, NULL, worker, NULL);
        pthread_join(t, NULL);
        assert(x == i && y == 3);
        y = 0;
    }
    return 0;
}
