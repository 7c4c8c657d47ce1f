// want: none
// case: record
// case: hatch
/* A correct monitor, in which the count of threads inside is lowered around the wait. */
#include <assert.h>
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int inside, state;
static void set(int s)
{
    pthread_mutex_lock(&m);
    inside++;
    state = s;
    pthread_cond_signal(&c);
    inside--;
    pthread_mutex_unlock(&m);
}
static void await(int s)
{
    pthread_mutex_lock(&m);
    inside++;
    while (state != s) {
        assert(inside == 1);
        inside--;
        pthread_cond_wait(&c, &m);
        inside++;
    }
    inside--;
    pthread_mutex_unlock(&m);
}
static void *other(void *arg)
{
    await(1);
    set(2);
    await(3);
    set(4);
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, other, 0);
    set(1);
    await(2);
    set(3);
    await(4);
    pthread_join(t, 0);
    return 0;
}
