// A line buffer that libc allocates and moves belongs to the thread that holds the lock.
// want: none
#define _GNU_SOURCE
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
char *line;
size_t room;
static _Thread_local volatile int sink;

static void *work(void *arg)
{
    FILE *f = fopen("/proc/self/maps", "r");
    for (int i = 0; i < 20; i++) {
        pthread_mutex_lock(&m);
        if (getline(&line, &room, f) > 0)
            sink = line[0];
        if (i % 5 == 4) {
            free(line);
            line = NULL;
            room = 0;
        }
        pthread_mutex_unlock(&m);
    }
    fclose(f);
    return arg;
}

int main(void)
{
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    free(line);
    return 0;
}
