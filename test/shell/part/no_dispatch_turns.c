#include <pthread.h>
#include <stdio.h>
#include <unistd.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
static int turn, fds[2];
static void *f(void *a)
{
    long me = (long)a;
    for (int i = 0; i < 5; i++) {
        pthread_mutex_lock(&m);
        while (turn % 3 != me)
            pthread_cond_wait(&c, &m);
        turn++;
        printf("thread %ld\n", me);
        pthread_cond_broadcast(&c);
        pthread_mutex_unlock(&m);
        usleep(1000);
    }
    if (me == 0 && write(fds[1], "x", 1) != 1)
        return a;
    return NULL;
}
int main(void)
{
    pthread_t t[3];
    char got = 0;
    if (pipe(fds))
        return 1;
    for (long i = 0; i < 3; i++)
        pthread_create(&t[i], 0, f, (void *)i);
    if (read(fds[0], &got, 1) != 1)
        return 1;
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], 0);
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    printf("%c %ld.%09ld\n", got, (long)now.tv_sec, now.tv_nsec);
    return 5;
}
