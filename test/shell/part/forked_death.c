/* The program expects the death of its first child. It may fail for another reason: the order of
 * two threads in its second child. */
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

static atomic_int first;

static void *come(void *arg)
{
    int nobody = 0;
    atomic_compare_exchange_strong(&first, &nobody, arg ? 2 : 1);
    return NULL;
}

static void two_threads(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, come, NULL);
    pthread_create(&b, NULL, come, &first);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    _exit(first - 1);
}

static int run(void (*test)(void))
{
    int status;
    pid_t child = fork();
    if (child == 0)
        test();
    waitpid(child, &status, 0);
    return status;
}

int main(void)
{
    int died = run(abort), failed = run(two_threads);
    return !WIFSIGNALED(died) || failed;
}
