/* Race-free. The process exits while threads end; under --sample atexrace no run crashes. */
#include <pthread.h>
#include <stdlib.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int c;
static void f(int i)
{
    pthread_mutex_lock(&m);
    c += i;
    pthread_mutex_unlock(&m);
}
static void *w(void *arg)
{
    f(1);
    return arg;
}
int main(void)
{
    pthread_t t;
    for (int i = 0; i < 6; i++)
        pthread_create(&t, 0, w, 0);
    f(2);
    exit(0);
}
