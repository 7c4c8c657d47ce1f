// A lost signal makes the program wait for ever, in either order of the race on `result`: that race
// only changes what is printed. The race on `pending` is to blame.
// judge: result output-differs
// judge: pending spec-violated
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
volatile int pending = 1;
volatile int result;

static void *commit(void *unused)
{
    (void)unused;
    result = 7;
    pending = 0;
    pthread_mutex_lock(&lock);
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void *await(void *unused)
{
    (void)unused;
    int before = result;
    if (pending) {
        pthread_mutex_lock(&lock);
        pthread_cond_wait(&changed, &lock);
        pthread_mutex_unlock(&lock);
    }
    printf("%d\n", before);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, commit, NULL);
    pthread_create(&t[1], NULL, await, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
