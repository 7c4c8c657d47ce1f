/* A race whose recorded order fails and whose other order succeeds. */
#include <pthread.h>
int ready;
static void *set(void *unused)
{
    ready = 1;
    return unused;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, set, NULL);
    int seen = ready;
    pthread_join(t, NULL);
    return seen ? 0 : 3;
}
