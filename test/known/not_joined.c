/* A race of threads that main does not join; with an argument, a race of main itself with the
 * thread. */
#include <pthread.h>
static int x, datum;
static int *A = &datum;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void *w(void *arg)
{
    x++;
    return arg;
}
static void *v(void *arg)
{
    pthread_mutex_lock(&m);
    (*A)++;
    pthread_mutex_unlock(&m);
    return arg;
}
int main(int argc, char **argv)
{
    pthread_t t, u;
    (void)argv;
    if (argc > 1) {
        pthread_create(&t, 0, v, 0);
        pthread_mutex_lock(&m);
        int *d = A;
        pthread_mutex_unlock(&m);
        *d = 42;
        return 0;
    }
    pthread_create(&t, 0, w, 0);
    pthread_create(&u, 0, w, 0);
    return 0;
}
