// No race: lib_wait returns after *flag was set. When it is called, it cannot reach *flag yet.
#include <pthread.h>
#include <stdlib.h>

struct box {
    int *flag;
};
void lib_wait(struct box *b);

static struct box *box;
int x;

static void *waits(void *arg)
{
    lib_wait(box);
    x = 2;
    return arg;
}

int main(void)
{
    pthread_t t;
    int *flag = calloc(1, 64);
    box = calloc(1, 64);
    pthread_create(&t, NULL, waits, NULL);
    __atomic_store_n(&box->flag, flag, __ATOMIC_RELEASE);
    x = 1;
    __atomic_store_n(flag, 1, __ATOMIC_RELEASE);
    pthread_join(t, NULL);
    return x != 2;
}
