/* A race that the program itself suppresses. */
#include <pthread.h>
static int g;
static void *f(void *arg)
{
    g = 1;
    return arg;
}
const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void) { return "race:f\n"; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    g = 2;
    pthread_join(t, 0);
    return 0;
}
