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
int shared[3];
static void *touch(void *p)
{
    *(int *)p = 1;
    order_arrive();
    return p;
}
static void race(int *p)
{
    pthread_t t;
    pthread_create(&t, 0, touch, p);
    order_wait(1);
    *p = 2;
    pthread_join(t, 0);
}
static void note(const char *file)
{
    char line[32];
    int n = snprintf(line, sizeof line, "%d\n", (int)getpid());
    int fd = open(file, O_WRONLY | O_CREAT | O_APPEND, 0666);
    if (write(fd, line, n) != n)
        abort();
    close(fd);
}
int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    if (!strcmp(what, "race"))
        race(&shared[0]);
    if (!strcmp(what, "wait")) { /* until the file go exists */
        race(&shared[1]);
        note("waiting");
        while (access("go", F_OK))
            usleep(1000);
    }
    if (!strcmp(what, "stubborn") || !strcmp(what, "daemon")) {
        signal(SIGTERM, SIG_IGN);
        signal(SIGHUP, SIG_IGN);
        if (fork() == 0) {
            setsid();
            if (fork() == 0) {
                note("pids");
                for (;;)
                    pause();
            }
            note("pids");
            for (;;)
                pause();
        }
        while (!strcmp(what, "stubborn"))
            pause();
        for (int fd, n = 0; n < 2;) { /* until both exist */
            char text[64];
            fd = open("pids", O_RDONLY);
            ssize_t size = fd < 0 ? 0 : read(fd, text, sizeof text);
            n = 0;
            for (ssize_t i = 0; i < size; i++)
                n += text[i] == '\n';
            if (fd >= 0)
                close(fd);
        }
    }
    return 0;
}
