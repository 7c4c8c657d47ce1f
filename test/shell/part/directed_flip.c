#include <pthread.h>
#include <stdio.h>
int x;
static void *f(void *a) { x = 1; return a; }
static void *g(void *a) { x = 2; return a; }
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, 0, f, 0);
    pthread_create(&u, 0, g, 0);
    pthread_join(t, 0);
    pthread_join(u, 0);
    printf("%d\n", x);
}
