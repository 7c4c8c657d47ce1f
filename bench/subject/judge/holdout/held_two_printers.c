// Two threads print a line each. The order of the lines varies, but not because of the race.
// race: last_printer say say k-witness-harmless: nobody reads it
#include <pthread.h>
#include <stdio.h>

static volatile long last_printer;

static void say(long who)
{
    last_printer = who;
    printf("this is %ld\n", who);
}

static void *work(void *who)
{
    say((long)who);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, (void *)1);
    pthread_create(&b, NULL, work, (void *)2);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
