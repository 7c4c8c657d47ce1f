#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
void lib_each(void (*f)(int), int n);
int x, y, z, shared;
atomic_int a;
char *p, from[100], to[100];
pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static void plain(int i)
{
    x = i; /* FIRST */
    y = i;
    z = i; /* LAST */
}
static void locks(int i)
{
    pthread_mutex_lock(&m); /* FIRST */
    x = i;
    y = i;
    pthread_mutex_unlock(&m); /* LAST */
}
static void allocates(int i)
{
    p = malloc(16 + (unsigned)i); /* FIRST */
    x = i;
    y = i;
    free(p); /* LAST */
}
static void counts(int i)
{
    atomic_fetch_add(&a, 1); /* FIRST */
    x = i;
    y = i;
    z = i; /* LAST */
}
static void copies(int i)
{
    memcpy(to, from, 10 + (unsigned)i); /* FIRST */
    x = i;
    y = i;
    z = i; /* LAST */
}
static void calls(int i)
{
    lib_each(plain, 1); /* FIRST */
    x = i;
    y = i;
    z = i; /* LAST */
}
static void races(int i)
{
    atomic_fetch_add(&a, 1);
    shared += i;
    atomic_fetch_add(&a, 1);
}
static void *run(void *arg)
{
    lib_each(races, 3);
    return arg;
}
int main(int argc, char **argv)
{
    (void)argv;
    if (argc == 1) {
        lib_each(plain, 2);
        lib_each(locks, 2);
        lib_each(allocates, 2);
        lib_each(counts, 2);
        lib_each(copies, 2);
        lib_each(calls, 2);
        return 0;
    }
    pthread_t t, u;
    pthread_create(&t, NULL, run, NULL);
    pthread_create(&u, NULL, run, NULL);
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return 0;
}
