/* The main thread hands a value to a second thread through a box that a lock protects. The second
 * thread computes with it and hands it on to a third thread in the same way. If the result is one
 * certain number, the second and the third thread use `last` without a lock. */
// args: 5
// input: argv[1]
// race: SECOND THIRD
#include "hunt.h"

struct box {
    pthread_mutex_t lock;
    pthread_cond_t filled;
    int full;
    long value;
};

static struct box first = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};
static struct box second = {PTHREAD_MUTEX_INITIALIZER, PTHREAD_COND_INITIALIZER, 0, 0};
static long last;

static void put(struct box *b, long value)
{
    pthread_mutex_lock(&b->lock);
    b->value = value;
    b->full = 1;
    pthread_cond_signal(&b->filled);
    pthread_mutex_unlock(&b->lock);
}

static long take(struct box *b)
{
    pthread_mutex_lock(&b->lock);
    while (!b->full)
        pthread_cond_wait(&b->filled, &b->lock);
    long value = b->value;
    pthread_mutex_unlock(&b->lock);
    return value;
}

static void *compute(void *p)
{
    long n = take(&first);
    put(&second, n * 3 + 11);
    if (n * 3 + 11 == 12740) {
        GUARD();
        last = n; /* SECOND */
        UNGUARD();
    }
    return p;
}

static void *finish(void *p)
{
    long n = take(&second);
    if (n == 12740) {
        GUARD();
        last = n; /* THIRD */
        UNGUARD();
    }
    return p;
}

int main(int argc, char **argv)
{
    pthread_t a, b;
    pthread_create(&a, NULL, compute, NULL);
    pthread_create(&b, NULL, finish, NULL);
    put(&first, argc > 1 ? atol(argv[1]) : 0);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%ld\n", last);
    return 0;
}
