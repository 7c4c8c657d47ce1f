# shellcheck shell=bash disable=SC2154
# A lock that is initialised while it is held: the misuse is reported, and the rest is predicted.

cat >again.c <<'C'
#include <pthread.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
long d, x;
static void *t(void *arg)
{
    x++;
    pthread_mutex_lock(&m);
    d++;
    if (!arg)
        pthread_mutex_init(&m, 0); /* by the thread that holds it */
    return 0;
}
int main(int argc, char **argv)
{
    pthread_t p, q;
    (void)argv;
    pthread_create(&p, 0, t, argc > 1 ? &p : 0);
    x++;
    pthread_join(p, 0);
    if (argc > 1)
        pthread_mutex_init(&m, 0); /* by another thread */
    pthread_create(&q, 0, t, 0);
    pthread_mutex_lock(&m);
    d++;
    pthread_mutex_unlock(&m);
    pthread_join(q, 0);
    return 0;
}
C
for level in -O0 -O2; do
    "$PF" cc -g $level again.c -o again
    status 0 "$PF" record -o a.clip -- ./again
    has err "a lock is initialised or destroyed by the thread that holds it"
    has err "again.c:10"
    status 66 "$PF" predict a.clip
    hasnt err inconsistent
    status 0 "$PF" record -o b.clip -- ./again other
    status 66 "$PF" predict b.clip
    has err "a lock is used wrongly, only the events before are analysed"
done

# A wait with a mutex that the thread does not hold.
cat >wait.c <<'C'
#include <pthread.h>
#include <time.h>
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t c = PTHREAD_COND_INITIALIZER;
long x;
static void *t(void *arg)
{
    x++;
    return arg;
}
int main(void)
{
    pthread_t p;
    pthread_create(&p, 0, t, 0);
    x++;
    pthread_join(p, 0);
    struct timespec past = {0, 0};
    pthread_cond_timedwait(&c, &m, &past);
    return 0;
}
C
"$PF" cc -g -O1 wait.c -o wait
status 0 "$PF" record -o w.clip -- ./wait
status 66 "$PF" predict w.clip
