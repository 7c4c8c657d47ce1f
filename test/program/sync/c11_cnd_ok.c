// C11 condition variables, timed and untimed: a wait releases the mutex and acquires it again.
// want: none
// tsan: it does not support C11 threads
#include <assert.h>
#include <threads.h>
#include <time.h>

mtx_t m;
cnd_t c;
const struct timespec far = {4000000000, 0};
int turn, x;

static int worker(void *arg)
{
    mtx_lock(&m);
    x = 1;
    turn = 1;
    cnd_signal(&c);
    while (turn != 2)
        assert(cnd_timedwait(&c, &m, &far) == thrd_success);
    x++;
    mtx_unlock(&m);
    return arg != NULL;
}

int main(void)
{
    thrd_t t;
    mtx_init(&m, mtx_timed);
    cnd_init(&c);
    mtx_lock(&m);
    thrd_create(&t, worker, NULL);
    while (turn != 1)
        cnd_wait(&c, &m);
    x++;
    turn = 2;
    cnd_broadcast(&c);
    mtx_unlock(&m);
    thrd_join(t, NULL);
    assert(x == 3);
    cnd_destroy(&c);
    mtx_destroy(&m);
    return 0;
}
