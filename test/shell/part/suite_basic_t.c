#include "order.h"
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
int shared, other;
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
static void second(void) { other = 3; }
static void *touch_other(void *p)
{
    second();
    order_arrive();
    return p;
}
int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    pthread_t t;
    if (!strcmp(what, "race"))
        race(&shared);
    if (!strcmp(what, "other")) {
        pthread_create(&t, 0, touch_other, 0);
        order_wait(1);
        other = 4;
        pthread_join(t, 0);
    }
    if (!strcmp(what, "exit"))
        return atoi(argv[2]);
    if (!strcmp(what, "print"))
        return printf("%s|%s|%s\n", argv[2], getenv("WORD"), argv[3]) < 0;
    if (!strcmp(what, "input"))
        return getchar() != 'i';
    if (!strcmp(what, "abort"))
        abort();
    return 0;
}
