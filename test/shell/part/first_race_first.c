#include <pthread.h>
int x;
static void *work(void *arg)
{
    return arg ? (void *)(long)(x = 1) : (void *)(long)BODY;
}
int main(void)
{
    pthread_t t[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
