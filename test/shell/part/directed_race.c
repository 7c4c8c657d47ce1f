#include <pthread.h>
#include <stdio.h>
int x;
static void *f(void *a) { for (int i = 0; i < 300; i++) x++; return a; }
int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++) pthread_create(&t[i], 0, f, 0);
    for (int i = 0; i < 3; i++) pthread_join(t[i], 0);
    printf("%d\n", x);
    return x & 63;
}
