// The race is in a program that a child executes with another environment.
// oracle: two programs write to one log
// want: race shared at A B
// clip: a program that a child executes is not recorded
#include "order.h"
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

int shared;
static void *work(void *arg)
{
    shared = 1; /* A */
    order_point(0);
    return arg;
}
int main(int argc, char **argv)
{
    if (argc == 1) {
        char *again[] = {argv[0], "child", NULL}, *env[] = {"NOTHING=1", NULL};
        int status;
        pid_t child = fork();
        if (child == 0) {
            execve("/proc/self/exe", again, env);
            _exit(1);
        }
        return waitpid(child, &status, 0) != child;
    }
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    order_point(1);
    shared = 2; /* B */
    pthread_join(t, NULL);
    return 0;
}
