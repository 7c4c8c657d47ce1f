/* Race-free. A thread with the smallest stack that is allowed. */
#include <limits.h>
#include <pthread.h>
static void *t(void *arg) { return arg; }
int main(void)
{
    pthread_attr_t a;
    pthread_t p;
    pthread_attr_init(&a);
    pthread_attr_setstacksize(&a, PTHREAD_STACK_MIN);
    pthread_create(&p, &a, t, 0);
    pthread_join(p, 0);
    return 0;
}
