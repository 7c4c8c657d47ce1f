#include <pthread.h>
int x;
static void *other(void *p)
{
    x++;
    return p;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, other, NULL);
    x++;
    pthread_join(t, NULL);
    return 0;
}
