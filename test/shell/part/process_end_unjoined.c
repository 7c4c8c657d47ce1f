#include <pthread.h>
int x;
static void *w(void *arg)
{
    x++;
    return arg;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, 0, w, 0);
    pthread_create(&u, 0, w, 0);
    return 0;
}
