/* A preforking server: two workers, each with two threads, answer requests that they read from a
 * common socket; the parent sends the requests. The threads of a worker add up what they have
 * answered: a race. */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#define WORKERS 2
#define REQUESTS 20

int answered;
static int ends[2];

static void *serve(void *arg)
{
    int request, mine = 0;
    while (recv(ends[1], &request, sizeof request, 0) == sizeof request && request >= 0) {
        mine++;
        request *= 2;
        send(ends[1], &request, sizeof request, 0);
    }
    answered += mine;
    return arg;
}

static int work(void)
{
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, serve, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return 0;
}

int main(void)
{
    int sum = 0, end = -1, status, failed = 0;
    if (socketpair(AF_UNIX, SOCK_SEQPACKET, 0, ends))
        return 1;
    for (int i = 0; i < WORKERS; i++)
        if (!fork())
            exit(work());
    for (int i = 0; i < REQUESTS; i++) {
        int answer;
        send(ends[0], &i, sizeof i, 0);
        recv(ends[0], &answer, sizeof answer, 0);
        sum += answer;
    }
    for (int i = 0; i < 2 * WORKERS; i++)
        send(ends[0], &end, sizeof end, 0);
    while (wait(&status) > 0)
        failed += status != 0;
    printf("sum %d, failed %d\n", sum, failed);
    return 0;
}
