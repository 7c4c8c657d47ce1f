// Children that end at once: their signals arrive while the parent is still inside of fork.
// want: none
// stdout: 200 children, told of
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>

static volatile sig_atomic_t told;

static void on_child(int number)
{
    (void)number;
    told = 1;
}

static void *idle(void *arg)
{
    pause();
    return arg;
}

int main(void)
{
    struct sigaction action = {.sa_handler = on_child, .sa_flags = SA_RESTART};
    sigaction(SIGCHLD, &action, NULL);
    pthread_t t; /* glibc's fork does more when there are threads */
    pthread_create(&t, NULL, idle, NULL);
    int ended = 0;
    for (int i = 0; i < 200; i++) {
        pid_t child = fork();
        if (child == 0)
            _exit(0);
        int status;
        while (waitpid(child, &status, 0) < 0 && errno == EINTR)
            ;
        ended += status == 0;
    }
    printf("%d children, %s\n", ended, told ? "told of" : "not told of");
    pthread_cancel(t);
    pthread_join(t, NULL);
    return 0;
}
