// An uninstrumented library orders its locks by means that no detector sees.
// want: none
// tsan: it reports how libraries use their locks, too
// sources: part/own_order.c
#include "order.h"
#include <pthread.h>

void *library_new(void);
void library_use(void *object);
void library_free(void *object);

static void *user(void *arg)
{
    library_use(arg);
    order_point(0);
    return NULL;
}

int main(void)
{
    pthread_t t;
    void *object = library_new();
    pthread_create(&t, NULL, user, object);
    order_point(1);
    library_free(object);
    pthread_join(t, NULL);
    return 0;
}
