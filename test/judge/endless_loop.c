// The flag is cleared by a thread that may come last: then nobody sets it again.
// judge: flag spec-violated
// reason: flag infinite loop
#include <pthread.h>

volatile int flag;

static void *clear(void *unused)
{
    (void)unused;
    flag = 0;
    return NULL;
}

static void *set(void *unused)
{
    (void)unused;
    flag = 1;
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, clear, NULL);
    pthread_create(&t[1], NULL, set, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    while (!flag)
        ;
    return 0;
}
