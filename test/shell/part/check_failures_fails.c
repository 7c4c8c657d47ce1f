#undef NDEBUG
#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
static pthread_mutex_t a = PTHREAD_MUTEX_INITIALIZER, b = PTHREAD_MUTEX_INITIALIZER;
static pthread_barrier_t both;
static pthread_cond_t never = PTHREAD_COND_INITIALIZER;
static int *volatile nothing;
static volatile int one = 1;
static int *block;
static atomic_int stop;

static void take(pthread_mutex_t *x, pthread_mutex_t *y)
{
    pthread_mutex_lock(x);
    pthread_barrier_wait(&both);
    pthread_mutex_lock(y); /* DEADLOCK */
    pthread_mutex_unlock(y);
    pthread_mutex_unlock(x);
}
static void *forwards(void *arg) { return take(&a, &b), arg; }
static void *backwards(void *arg) { return take(&b, &a), arg; }
static void *store(void *arg)
{
    one++;
    *nothing = one; /* STORE */
    return arg;
}
static void *load(void *arg)
{
    one++;
    one = *nothing; /* LOAD */
    return arg;
}
static void *check(void *arg)
{
    assert(one == 2); /* ASSERTION */
    return arg;
}
static void *wait(void *arg)
{
    pthread_mutex_lock(&a);
    for (;;)
        pthread_cond_wait(&never, &a); /* WAIT */
    return arg;
}
static void *spin(void *arg)
{
    while (!atomic_load(&stop))
        ;
    return arg;
}
static void *yields(void *arg)
{
    while (!atomic_load(&stop))
        sched_yield(); /* YIELD */
    return arg;
}
static void *drop(void *arg)
{
    pthread_mutex_lock(&a);
    free(block);
    pthread_mutex_unlock(&a);
    return arg;
}
static void *use(void *arg)
{
    pthread_mutex_lock(&a);
    block[0] = 1; /* USE */
    pthread_mutex_unlock(&a);
    return arg;
}
static void run(void *(*f)(void *), void *(*g)(void *))
{
    pthread_t t, u;
    pthread_create(&t, NULL, f, NULL);
    if (g)
        pthread_create(&u, NULL, g, NULL);
    pthread_join(t, NULL); /* JOIN */
    if (g)
        pthread_join(u, NULL);
}
int main(int argc, char **argv)
{
    const char *what = argc > 1 ? argv[1] : "";
    pthread_barrier_init(&both, NULL, 2);
    block = malloc(400);
    if (!strcmp(what, "deadlock"))
        run(forwards, backwards);
    else if (!strcmp(what, "store"))
        run(store, NULL);
    else if (!strcmp(what, "load"))
        run(load, NULL);
    else if (!strcmp(what, "assertion"))
        run(check, NULL);
    else if (!strcmp(what, "wait"))
        run(wait, NULL);
    else if (!strcmp(what, "spin"))
        run(spin, NULL);
    else if (!strcmp(what, "yield"))
        run(yields, NULL);
    else if (!strcmp(what, "memory"))
        run(drop, use);
    return 0;
}
