// fork while other threads run and hold locks.
// want: none
// oracle: its log covers one process
#include "order.h"
#include <pthread.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
int counter;
int stop;

static void *worker(void *arg)
{
    while (!__atomic_load_n(&stop, __ATOMIC_ACQUIRE)) {
        pthread_mutex_lock(&lock);
        counter++;
        pthread_mutex_unlock(&lock);
        free(malloc(100));
    }
    return arg;
}

int main(void)
{
    pthread_t t[2];
    int bad = 0;
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < 5; i++) {
        pid_t child = fork();
        if (child == 0)
            _exit(3);
        int status;
        waitpid(child, &status, 0);
        bad += WEXITSTATUS(status) != 3;
    }
    __atomic_store_n(&stop, 1, __ATOMIC_RELEASE);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    return bad;
}
