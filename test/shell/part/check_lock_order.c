// Two threads take two mutexes in opposite order: at the same time, or, with an argument, one after
// the other.
#include <pthread.h>

static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;

static void *forward(void *arg)
{
    pthread_mutex_lock(&a);
    pthread_mutex_lock(&b);
    pthread_mutex_unlock(&b);
    pthread_mutex_unlock(&a);
    return arg;
}

static void *backward(void *arg)
{
    pthread_mutex_lock(&b);
    pthread_mutex_lock(&a);
    pthread_mutex_unlock(&a);
    pthread_mutex_unlock(&b);
    return arg;
}

int main(int argc, char **argv)
{
    pthread_t t, u;
    pthread_create(&t, NULL, forward, argv);
    if (argc > 1)
        pthread_join(t, NULL);
    pthread_create(&u, NULL, backward, argv);
    if (argc == 1)
        pthread_join(t, NULL);
    return pthread_join(u, NULL);
}
