#include <pthread.h>
int x, y;
static void *f(void *arg)
{
    x++;
    y = 1;
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, f, NULL);
    x++;
    pthread_join(t, NULL);
    return y - 1;
}
