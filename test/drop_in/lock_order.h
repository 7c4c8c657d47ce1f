/* lock_order.h - threads that run one after the other, so that a cycle of locks never deadlocks. */
#include <pthread.h>

static inline void run_one(void *(*f)(void *))
{
    pthread_t t;
    pthread_create(&t, NULL, f, NULL);
    pthread_join(t, NULL);
}
