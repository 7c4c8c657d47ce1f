// Forks while threads allocate, lock, print and send: no child hangs on a lock of the runtime.
// oracle: far too many events for its log
// want: none
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

atomic_int stop;
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
int shared, fds[2];

static void *work(void *arg)
{
    char c;
    while (!atomic_load(&stop)) {
        char *p = malloc(100);
        memset(p, 1, 100);
        pthread_mutex_lock(&m);
        shared++;
        pthread_mutex_unlock(&m);
        if (write(fds[1], p, 1) == 1 && read(fds[0], &c, 1) == 1)
            free(realloc(p, 300));
    }
    return arg;
}
int main(void)
{
    pthread_t t[3];
    int bad = 0;
    if (pipe(fds))
        return 1;
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, work, NULL);
    for (int i = 0; i < 50; i++) {
        pid_t child = fork();
        if (child == 0) {
            free(strdup("child"));
            int own = 0;
            __atomic_fetch_add(&own, 1, __ATOMIC_SEQ_CST);
            int p[2];
            _exit(pipe(p) || write(p[1], "x", 1) != 1);
        }
        int status;
        if (waitpid(child, &status, 0) != child || status)
            bad++;
    }
    atomic_store(&stop, 1);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return bad;
}
