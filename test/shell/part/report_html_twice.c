#include <pthread.h>
int x;
void *other(void *arg)
{
    x = 1;
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, other, 0);
    x = 2;
    pthread_join(t, 0);
    return 0;
}
