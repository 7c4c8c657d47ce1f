/* Represents a library that was built with another compiler: nothing in here is instrumented. */
#include <pthread.h>
#include <stdlib.h>

#define UNSEEN __attribute__((noinline, disable_sanitizer_instrumentation))

void *library_new(void);
void library_use(void *object);
void library_free(void *object);

UNSEEN void *library_new(void)
{
    pthread_mutex_t *m = malloc(sizeof *m);
    pthread_mutex_init(m, NULL);
    return m;
}

UNSEEN void library_use(void *object)
{
    pthread_mutex_lock(object);
    pthread_mutex_unlock(object);
}

UNSEEN void library_free(void *object)
{
    pthread_mutex_destroy(object);
    free(object);
}
