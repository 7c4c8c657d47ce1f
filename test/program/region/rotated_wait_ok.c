// want: none
// levels: O1
// case: record
// case: hatch
// noout: WARNING
/* A bounded stack. The optimiser turns each waiting loop into a check before the loop and one
 * inside it, and an iteration of the outer loop may skip the second one. */
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t not_full = PTHREAD_COND_INITIALIZER, not_empty = PTHREAD_COND_INITIALIZER;
static int stack[3], used;
static void *push(void *arg)
{
    for (int i = 1; i < 5; i++) {
        pthread_mutex_lock(&m);
        while (used == 3)
            pthread_cond_wait(&not_full, &m);
        stack[used++] = i;
        pthread_cond_signal(&not_empty);
        pthread_mutex_unlock(&m);
    }
    return arg;
}
int main(void)
{
    pthread_t t;
    int sum = 0;
    pthread_create(&t, NULL, push, NULL);
    for (int i = 1; i < 5; i++) {
        pthread_mutex_lock(&m);
        while (used == 0)
            pthread_cond_wait(&not_empty, &m);
        sum += stack[--used];
        pthread_cond_signal(&not_full);
        pthread_mutex_unlock(&m);
    }
    pthread_join(t, NULL);
    return sum != 10;
}
