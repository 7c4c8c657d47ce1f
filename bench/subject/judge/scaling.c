// For Figure 15 of the paper: the time to judge one race over the number of points at which the
// scheduler may switch, and over the number of branches that depend on the input.
// usage: scaling SWITCHES TEXT: every byte of TEXT is a branch
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static volatile int shared;
static int counter, switches;
static const char *text;

static void *work(void *value)
{
    shared = (int)(long)value;
    for (int i = 0; i < switches; i++) {
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t a, b;
    int letters = 0;
    switches = argc > 1 ? atoi(argv[1]) : 0;
    text = argc > 2 ? argv[2] : "";
    pthread_create(&a, NULL, work, (void *)1);
    pthread_create(&b, NULL, work, (void *)1);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    for (const char *p = text; *p; p++)
        if (*p >= 'a')
            letters++;
    printf("%d %d %d\n", counter, letters, shared);
    return 0;
}
