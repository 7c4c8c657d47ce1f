/* One thread waits in a loop that reads two variables, which three threads write. In some orders
 * the loop waits for ever. */
#include <pthread.h>
#include <stdatomic.h>

static atomic_int a, b;

static void *waits(void *arg)
{
    a = 1;
    b = 1;
    while (a != 2 && b != 2)
        ;
    return arg;
}

static void *ends_it(void *arg)
{
    b = 2;
    a = 2;
    return arg;
}

static void *overwrites(void *arg)
{
    b = 3;
    a = 3;
    return arg;
}

int main(void)
{
    void *(*functions[])(void *) = {waits, ends_it, overwrites};
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], 0, functions[i], 0);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    return 0;
}
