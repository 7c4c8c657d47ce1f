#include <pthread.h>
int g;
static void *f(void *arg)
{
    pthread_setname_np(pthread_self(), "\033[2Ja\nSUMMARY");
    g = 1;
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, f, 0);
    g = 2;
    return pthread_join(t, 0);
}
