// want: external-race
// text: race on CacheEntry
// One thread modifies an object of a library and another one reads it; nothing orders the two.
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
