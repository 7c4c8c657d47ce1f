// want: sync-misuse
// tsan: has no such report
// options: report_sync_misuse=1:halt_on_error=1
// text: a semaphore is destroyed while a thread waits on it
// A semaphore is destroyed while a thread waits on it.
#include "waiting.h"
#include <semaphore.h>

sem_t full;

static void *user(void *arg)
{
    about_to_wait();
    sem_wait(&full);
    return arg;
}

int main(void)
{
    pthread_t t;
    sem_init(&full, 0, 0);
    pthread_create(&t, NULL, user, NULL);
    until_it_waits();
    sem_destroy(&full);
    return 0;
}
