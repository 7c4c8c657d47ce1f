// want: none
// Two threads read an object of a library. The main thread modifies it after the join.
#include "external.h"

static void *user(void *arg)
{
    get();
    return arg;
}

int main(void)
{
    pthread_t t;
    tag = __tsan_external_register_tag("CacheEntry");
    pthread_create(&t, NULL, user, NULL);
    get();
    pthread_join(t, NULL);
    put();
    return 0;
}
