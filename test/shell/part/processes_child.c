#include "order.h"
#include <pthread.h>
#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
int in_parent, in_child, in_exec;
static void *write_parent(void *p) { in_parent = 1; order_arrive(); return p; }
static void *write_child(void *p) { in_child = 1; order_arrive(); return p; }
static void *write_exec(void *p) { in_exec = 1; order_arrive(); return p; }
static void race(void *(*f)(void *))
{
    pthread_t a, b;
    int before = order_turn;
    pthread_create(&a, NULL, f, NULL);
    order_wait(before + 1);
    pthread_create(&b, NULL, f, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
}
int main(int argc, char **argv)
{
    if (argc > 1) {
        race(write_exec);
        puts("execed");
        return 0;
    }
    race(write_parent);
    pid_t p = fork();
    if (p == 0) {
        race(write_child);
        pid_t q = fork();
        if (q == 0)
            execl(argv[0], argv[0], "again", (char *)NULL);
        waitpid(q, NULL, 0);
        return 0;
    }
    waitpid(p, NULL, 0);
    puts("parent");
    return 0;
}
