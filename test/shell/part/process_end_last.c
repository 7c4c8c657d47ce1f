#define _GNU_SOURCE
#include <assert.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int n, end;
long x;
static void say(const char *s) { if (write(1, s, strlen(s)) < 0) abort(); }
static void *work(void *arg)
{
    say("T");
    return arg;
}
static void *blocked(void *arg)
{
    pthread_mutex_lock(&m);
    say("never");
    return arg;
}
static void *endless(void *arg)
{
    for (;;) __atomic_fetch_add(&x, 1, __ATOMIC_RELAXED);
    return arg;
}
static void *spin(void *arg)
{
    while (!*(volatile long *)&x);
    return arg;
}
static void *ends(void *arg) { exit(7); return arg; }
static void handler(void) { say("H"); }
int main(int argc, char **argv)
{
    pthread_t t;
    end = argc > 2 ? argv[2][0] : 'r';
    n = atoi(argv[1]);
    atexit(handler);
    pthread_mutex_lock(&m);
    void *(*const f[])(void *) = {work, blocked, endless, spin, ends};
    pthread_create(&t, 0, f[n], 0);
    if (end == 'e') exit(3);
    if (end == '_') _exit(3);
    if (end == 'q') quick_exit(3);
    if (end == 'g') syscall(SYS_exit_group, 3);
    return 3;
}
