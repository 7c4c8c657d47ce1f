#include <pthread.h>
#include <unistd.h>
static int shared;
static void *second(void *p)
{
    shared = 1;
    return p;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, second, NULL);
    shared = 2;
    pthread_join(t, NULL);
    for (;;)
        pause();
}
