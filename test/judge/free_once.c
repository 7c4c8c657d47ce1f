// Twin of double_free: the first of the two threads keeps the table for itself; the other one sees
// that it is gone, or counts it as present, which nobody uses.
// judge: seen k-witness-harmless
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char *table;
volatile int seen;

static void *leave(void *unused)
{
    (void)unused;
    seen = 1;
    pthread_mutex_lock(&lock);
    char *mine = table;
    table = NULL;
    pthread_mutex_unlock(&lock);
    free(mine);
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    table = malloc(100);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, leave, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    puts("freed");
    return 0;
}
