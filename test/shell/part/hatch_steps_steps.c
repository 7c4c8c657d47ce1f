#include <pthread.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static int flag, balance = 7, low = 1, high = 2;
static void *worker(void *p)
{
#if PART == 1
    flag = (low++, high++, 3);
#elif PART == 2
    pthread_mutex_lock(&b);
    balance = 50;
    pthread_mutex_unlock(&b);
#elif PART == 3
    pthread_mutex_lock(&b);
    low = 10;
    high = 20;
    pthread_mutex_unlock(&b);
#else
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
#endif
    return p;
}
int main(void)
{
    pthread_t t;
    int seen = 0;
    pthread_create(&t, NULL, worker, NULL);
#if PART == 1
    seen = flag;
#elif PART == 2
    pthread_mutex_lock(&a);
    seen = balance;
    balance = seen + 1;
    pthread_mutex_unlock(&a);
#elif PART == 3
    pthread_mutex_lock(&a);
    seen = low;
    seen += high;
    pthread_mutex_unlock(&a);
#else
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
#endif
    pthread_join(t, NULL);
    assert(PART != 1 || seen != 3);
    return PART == 3 ? seen == 21 : seen > 1000;
}
