#include <pthread.h>
int a, b;
int *volatile nowhere;
static void *run(void *arg)
{
    int *p = nowhere;
    a = 1;
    b = *p; /* the event before it has happened, the event after it has not */
    a = 2;
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, run, 0);
    return pthread_join(t, 0);
}
