#include <pthread.h>
int shared;
void *change1(void *), *change2(void *);
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, change1, 0);
    change2(0);
    pthread_join(t, 0);
    return 0;
}
