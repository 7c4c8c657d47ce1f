// all_values_valid repaired with a lock. A detector that is blind to locks reports it all the same;
// the report is false.
// judge: timeout single-ordering
// reason: timeout lock lock
// options: --blind
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int timeout;

static void *configure(void *value)
{
    pthread_mutex_lock(&lock);
    timeout = (int)(long)value;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, configure, (void *)(10 * (i + 1)));
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    puts(timeout == 10 || timeout == 20 ? "valid" : "invalid");
    return 0;
}
