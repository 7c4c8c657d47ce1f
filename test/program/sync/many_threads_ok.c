// Many threads in sequence, and many at the same time: names, slots and stacks are reused.
// want: none
#include <assert.h>
#include <pthread.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int x, y;

static void *alone(void *arg)
{
    int local = x;
    x = local + 1;
    return arg;
}

static void *together(void *arg)
{
    pthread_mutex_lock(&m);
    y++;
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    pthread_t t, many[100];
    for (int i = 0; i < 1500; i++) {
        pthread_create(&t, NULL, alone, NULL);
        pthread_join(t, NULL);
    }
    for (int i = 0; i < 100; i++)
        pthread_create(&many[i], NULL, together, NULL);
    for (int i = 0; i < 100; i++)
        pthread_join(many[i], NULL);
    assert(x == 1500 && y == 100);
    return 0;
}
