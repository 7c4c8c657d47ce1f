/* Many races, none of which has to do with the failed assertion at the end. */
#include <assert.h>
#include <pthread.h>
#include <stddef.h>

static int a, b, c, d, e, order;

static void *second(void *p)
{
    a = b = c = d = e = 1;
    return p;
}

int main(int argc, char **argv)
{
    pthread_t t;
    (void)argv;
    pthread_create(&t, NULL, second, NULL);
    order = a + b + c + d + e;
    pthread_join(t, NULL);
    assert(argc > 1);
    return 0;
}
