// Two workers write the same number; a clock, which races with them as well, changes what is
// printed. While the order of the race is brought about, the clock may run or not in both orders.
// judge: last_error k-witness-harmless
#include <pthread.h>
#include <stdio.h>

volatile int last_error;
volatile int now = 1;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int stored;

static void *work(void *error)
{
    int mine = now;
    last_error = (int)(long)error;
    pthread_mutex_lock(&lock);
    stored = mine > stored ? mine : stored;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *tick(void *unused)
{
    (void)unused;
    now = 2;
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t[3];
    (void)argv;
    pthread_create(&t[0], NULL, work, (void *)5L);
    pthread_create(&t[1], NULL, work, (void *)(long)(argc > 1 ? 6 : 5));
    pthread_create(&t[2], NULL, tick, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    printf("%d %s\n", stored, last_error == 5 ? "five" : "six");
    return 0;
}
