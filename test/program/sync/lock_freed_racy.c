// A mutex is freed while another thread may still lock it.
// want: race at ASK:lock FREE:free
#include "order.h"
#include <pthread.h>
#include <stdlib.h>

struct thing {
    pthread_mutex_t m;
};

static void *user(void *arg)
{
    struct thing *t = arg;
    pthread_mutex_lock(&t->m); /* ASK */
    pthread_mutex_unlock(&t->m);
    order_point(0);
    return NULL;
}

int main(void)
{
    pthread_t t;
    struct thing *thing = calloc(1, sizeof *thing);
    pthread_create(&t, NULL, user, thing);
    order_point(1);
    free(thing); /* FREE */
    pthread_join(t, NULL);
    return 0;
}
