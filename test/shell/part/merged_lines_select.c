#include <pthread.h> /* The optimizer merges the stores of y and z, and the two of x. */
static int x, y, z;
static volatile int zero;
__attribute__((noinline)) static void set(int k)
{
    if (k & 1) {
        y = k;
        x = k;
    } else {
        z = k;
        x = k;
    }
}
static void *work(void *arg)
{
    set(zero);
    return arg;
}
int main(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], 0, work, 0);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], 0);
    return x + y + z;
}
