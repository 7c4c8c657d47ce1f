// A connection of a database that a second thread waits for (after SQLite of the paper, whose race
// makes it hang).
// race: pending commit wait_for_commit spec-violated: the flag is tested before the lock is taken;
//     if it is cleared in between, the signal is lost, and the thread waits for ever
// race: result commit wait_for_commit output-differs: read without the lock, before or after the
//     commit has stored it
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t changed = PTHREAD_COND_INITIALIZER;
static volatile int pending = 1;
static volatile int result;

static void commit(void)
{
    result = 7;
    pending = 0;
    pthread_mutex_lock(&lock);
    pthread_cond_signal(&changed);
    pthread_mutex_unlock(&lock);
}

static void wait_for_commit(void)
{
    int before = result;
    if (pending) {
        pthread_mutex_lock(&lock);
        pthread_cond_wait(&changed, &lock);
        pthread_mutex_unlock(&lock);
    }
    printf("%d\n", before);
}

static void *committer(void *unused)
{
    (void)unused;
    commit();
    return NULL;
}

static void *waiter(void *unused)
{
    (void)unused;
    wait_for_commit();
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    pthread_create(&t[0], NULL, committer, NULL);
    pthread_create(&t[1], NULL, waiter, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}
