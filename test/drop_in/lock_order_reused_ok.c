// want: none
// Locks are destroyed and freed; others at the same addresses are taken in the other order.
#include "lock_order.h"
#include <stdlib.h>

static pthread_mutex_t *locks;

static void take(pthread_mutex_t *first, pthread_mutex_t *second)
{
    pthread_mutex_lock(first);
    pthread_mutex_lock(second);
    pthread_mutex_unlock(second);
    pthread_mutex_unlock(first);
}

int main(void)
{
    for (int i = 0; i < 4; i++) {
        locks = malloc(2 * sizeof *locks);
        for (int k = 0; k < 2; k++)
            pthread_mutex_init(&locks[k], NULL);
        take(&locks[i % 2], &locks[!(i % 2)]);
        for (int k = 0; k < 2; k++)
            pthread_mutex_destroy(&locks[k]);
        free(locks);
    }
    return 0;
}
