/* A race on x; no memory errors. The arrays have a length that is known at run time only. */
#include <pthread.h>
static int n = 3, k = 1;
int x;
static void *w(void *p)
{
    x++;
    return 0;
}
int main(int argc, char **argv)
{
    if (argc > 1) {
        n = 4;
        k = 2;
    }
    pthread_t pool[n];
    pthread_t other[k];
    for (int i = 0; i < n; i++)
        if (pthread_create(&pool[i], 0, w, 0))
            return 1;
    for (int i = 0; i < k; i++)
        if (pthread_create(&other[i], 0, w, 0))
            return 1;
    for (int i = 0; i < n; i++)
        if (pthread_join(pool[i], 0))
            return 1;
    for (int i = 0; i < k; i++)
        if (pthread_join(other[i], 0))
            return 1;
    return 0;
}
