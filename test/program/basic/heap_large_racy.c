// A large block is freed while another thread may still use it: near its end, far from all other
// uses.
// want: race at USE:write FREE:free
#include "order.h"
#include <pthread.h>
#include <stdlib.h>

enum { LARGE = 3 << 20 };
char *block;

static void *use(void *arg)
{
    block[LARGE - 100] = 1; /* USE */
    order_point(0);
    return arg;
}

int main(void)
{
    pthread_t t;
    block = malloc(LARGE);
    block[0] = 1;
    pthread_create(&t, NULL, use, NULL);
    order_point(1);
    free(block); /* FREE */
    pthread_join(t, NULL);
    return 0;
}
