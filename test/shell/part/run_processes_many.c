#define _GNU_SOURCE
#include "order.h"
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
int shared;
static void *other(void *arg)
{
    shared = 4;
    order_arrive();
    return arg;
}
static void race(void)
{
    pthread_t t;
    pthread_create(&t, 0, other, 0);
    order_wait(1);
    shared = 5;
    pthread_join(t, 0);
}
static volatile sig_atomic_t told;
static void note(int sig) { told = sig; }
int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "race"))
        race();
    if (!strcmp(what, "fork")) {
        for (int i = 0; i < 3; i++)
            if (fork() == 0) {
                race();
                exit(0);
            }
        while (wait(0) > 0)
            continue;
        return 4;
    }
    if (!strcmp(what, "exec")) {
        execl(argv[0], argv[0], "race", NULL);
    }
    if (!strcmp(what, "failed-exec")) {
        execl("/nonexistent", "x", NULL);
        race();
    }
    if (!strcmp(what, "kill")) {
        race();
        kill(getpid(), SIGKILL);
    }
    if (!strcmp(what, "abort"))
        abort();
    if (!strcmp(what, "expected") || !strcmp(what, "unexpected")) {
        int pipes[2], state;
        char c;
        if (pipe(pipes))
            return 98;
        if (fork() == 0)
            abort();
        wait(&state);
        pid_t child = fork();
        if (child == 0) {
            if (write(pipes[1], "x", 1) == 1)
                pause();
            _exit(97);
        }
        if (read(pipes[0], &c, 1) != 1)
            return 98;
        kill(child, SIGKILL);
        wait(0);
        return !strcmp(what, "expected") && WIFSIGNALED(state) ? 0 : 5;
    }
    if (!strcmp(what, "close")) { /* as daemons do: our descriptor becomes another file */
        for (int fd = 3; fd < 4096; fd++)
            close(fd);
        int own = open("own", O_RDWR | O_CREAT | O_TRUNC, 0644);
        for (int fd = 900; fd < 1000; fd++)
            dup2(own, fd);
        race();
    }
    if (!strcmp(what, "leave") && fork() == 0) {
        char c;
        if (read(0, &c, 1) < 0) /* until the test closes the pipe */
            return 1;
        race();
    }
    if (!strcmp(what, "signal")) {
        signal(SIGUSR1, note);
        sigset_t set, old;
        sigemptyset(&set);
        sigaddset(&set, SIGUSR1);
        sigprocmask(SIG_BLOCK, &set, &old);
        puts("ready");
        fflush(stdout);
        while (!told)
            sigsuspend(&old);
        return 10;
    }
    if (!strcmp(what, "echo")) {
        int c;
        while ((c = getchar()) != EOF)
            putchar(c);
    }
    return 0;
}
