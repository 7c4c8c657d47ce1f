#include <pthread.h>
#include <stdio.h>
static volatile long x;
static void *f(void *a) { for (long i = 0; i < 1000000; i++) x = (x ^ i) * 0x9e3779b97f4a7c15; return a; }
int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, f, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    printf("%ld\n", x);
    return 7;
}
