/* Allows itself no further descriptors. */
#include <pthread.h>
#include <sys/resource.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int x;

static void *add(void *arg)
{
    pthread_mutex_lock(&m);
    x++;
    pthread_mutex_unlock(&m);
    return arg;
}

int main(void)
{
    struct rlimit none = {0, 0};
    pthread_t t;
    setrlimit(RLIMIT_NOFILE, &none);
    pthread_create(&t, 0, add, 0);
    add(0);
    pthread_join(t, 0);
    return 0;
}
