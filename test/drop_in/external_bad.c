// want: external-race
// text: race on CacheEntry
// Two threads use an object of a library, one of them modifies it.
#include "external.h"

static void *writer(void *arg)
{
    put();
    order_point(0);
    return arg;
}

int main(void)
{
    pthread_t t;
    tag = __tsan_external_register_tag("CacheEntry");
    pthread_create(&t, NULL, writer, NULL);
    order_point(1);
    get();
    pthread_join(t, NULL);
    return 0;
}
