#include <pthread.h>
#include <stdio.h>
static int at, table[8];
static void *grow(void *p) { at = 8; return p; }
static void *use(void *p)
{
    if (at < 8)
        table[at] = 1;
    return p;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, use, NULL);
    pthread_create(&u, NULL, grow, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    puts("done");
}
