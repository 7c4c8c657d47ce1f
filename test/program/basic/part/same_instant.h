/* same_instant.h - two threads that start together and access a fresh word at the same instant. On
 * purpose nothing orders them: the race must be found in every run. BODY: what the first one
 * does. */
#include <pthread.h>
int x;
static void *work(void *arg) { return arg ? (void *)(long)(x = 1) : (void *)(long)BODY; }
int main(void)
{
    pthread_t t[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, (void *)i);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
