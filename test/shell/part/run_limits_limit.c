#define _GNU_SOURCE
#include "order.h"
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
int x;
static void *run(void *arg)
{
    order_point(0); /* begun before the limit is set */
    x = 1;
    order_point(1);
    return arg;
}
int main(int argc, char **argv)
{
    (void)argc;
    pthread_t t;
    struct rlimit r;
    pthread_create(&t, NULL, run, NULL);
    order_wait(1);
    int which = !strcmp(argv[1], "fsize") ? RLIMIT_FSIZE
                : !strcmp(argv[1], "as")  ? RLIMIT_AS
                                          : RLIMIT_NOFILE;
    getrlimit(which, &r);
    r.rlim_cur = (rlim_t)atol(argv[2]);
    if (setrlimit(which, &r))
        return 3;
    order_wait(2);
    x = 2;
    pthread_join(t, NULL);
    puts("done");
    return 0;
}
