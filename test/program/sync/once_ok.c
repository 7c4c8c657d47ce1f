// The initialiser happens before every return from pthread_once; initialisers may nest.
// want: none
#include <assert.h>
#include <pthread.h>

pthread_once_t outer = PTHREAD_ONCE_INIT, inner = PTHREAD_ONCE_INIT;
int x, y;

static void init_inner(void) { y = 1; }

static void init_outer(void)
{
    pthread_once(&inner, init_inner);
    x = y + 1;
}

static void *worker(void *arg)
{
    pthread_once(&outer, init_outer);
    assert(x == 2);
    pthread_once(&inner, init_inner);
    assert(y == 1);
    return arg;
}

int main(void)
{
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    return 0;
}
