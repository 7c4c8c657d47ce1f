// The older dynamic annotations, in the wrong order.
// want: race x at FIRST SECOND
#include "order.h"
#include <pthread.h>

void AnnotateHappensBefore(const char *f, int l, const volatile void *a);
void AnnotateHappensAfter(const char *f, int l, const volatile void *a);
int RunningOnValgrind(void);

int x;

static void *first(void *arg)
{
    AnnotateHappensBefore(__FILE__, __LINE__, &x);
    x = 1; /* FIRST */
    order_point(0);
    return arg;
}

static void *second(void *arg)
{
    order_point(1);
    AnnotateHappensAfter(__FILE__, __LINE__, &x);
    x = RunningOnValgrind(); /* SECOND */
    return arg;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, first, NULL);
    pthread_create(&b, NULL, second, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
