/* A race. The program succeeds in one order and ends with status 1 in the other; success is not
 * harm. */
#include <pthread.h>
static int x;
static void *w(void *arg)
{
    x = 1;
    return arg;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, 0, w, 0);
    int r = x;
    pthread_join(t, 0);
    return r ? 0 : 1;
}
