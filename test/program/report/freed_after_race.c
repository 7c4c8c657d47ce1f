// A block is used after it was freed, twice at the same two lines: the first time the two accesses
// race, the second time the free happens before the use. Both are reported.
// levels: O1
// case: run --json -
// exit: 66
// out: "kind":"race"
// out: "kind":"use-after-free"
// err: reported 2 warnings
#include "order.h"
#include <pthread.h>
#include <stdlib.h>

static int *block[2];
static volatile int seen;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;

static void *owner(void *arg)
{
    for (int i = 0; i < 2; i++) {
        order_point(4 * i);
        free(block[i]);
        pthread_mutex_lock(&m); /* orders it before the second use */
        pthread_mutex_unlock(&m);
        order_point(4 * i + 1);
    }
    return arg;
}

static void *user(void *arg)
{
    for (int i = 0; i < 2; i++) {
        order_point(4 * i + 2);
        if (i) {
            pthread_mutex_lock(&m);
            pthread_mutex_unlock(&m);
        }
        seen = block[i][3];
        order_point(4 * i + 3);
    }
    return arg;
}

int main(void)
{
    pthread_t a, b;
    block[0] = calloc(1, 40);
    block[1] = calloc(1, 40);
    pthread_create(&a, NULL, owner, NULL);
    pthread_create(&b, NULL, user, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
