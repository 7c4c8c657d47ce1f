#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int stock = 5;
static void *sell(void *p)
{
    pthread_mutex_lock(&m);
    int enough = stock > 0;
    pthread_mutex_unlock(&m);
    if (enough) {
        pthread_mutex_lock(&m);
        stock--;
        pthread_mutex_unlock(&m);
    }
    return p;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, sell, NULL);
    pthread_create(&u, NULL, sell, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return stock != 3;
}
