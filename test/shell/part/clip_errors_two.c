#include <pthread.h>
#include <stdio.h>
int x;
static void *f(void *a) { for (int i = 0; i < 50; i++) x++; return a; }
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    pthread_join(t, 0);
    printf("%d\n", x);
    return 7;
}
