#include <pthread.h>
static pthread_mutex_t m[2] = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_MUTEX_INITIALIZER};
static int x[80], y[80];
static void *unit(void *p)
{
    for (int i = 0; i < 80; i++) {
        pthread_mutex_lock(&m[p != 0]);
        x[i] = 1;
        y[i] = 1;
        pthread_mutex_unlock(&m[p != 0]);
    }
    return p;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, unit, m);
    unit(NULL);
    pthread_join(t, NULL);
    return 0;
}
