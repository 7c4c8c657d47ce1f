#include <pthread.h>
static int g;
static void *f(void *arg)
{
    g = 1;
    return arg;
}
#ifdef OWN
const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void) { return "race:^f$\n"; }
#endif
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    g = 2;
    return pthread_join(t, 0);
}
