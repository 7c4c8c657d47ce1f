// A table is created when it is needed first: tested, then locked, then tested again.
// race: table get get k-witness-harmless: the test without the lock is repeated with it
// race: size get size_of single-ordering: a thread gets the pointer only after the table is filled
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

struct contents {
    int size;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct contents *volatile table;

static struct contents *get(void)
{
    if (!table) {
        pthread_mutex_lock(&lock);
        if (!table) {
            struct contents *fresh = calloc(1, sizeof *fresh);
            fresh->size = 42;
            table = fresh;
        }
        pthread_mutex_unlock(&lock);
    }
    return table;
}

static int size_of(const struct contents *c) { return c->size; }

static void *work(void *to)
{
    *(int *)to = size_of(get());
    return NULL;
}

int main(void)
{
    int x, y;
    pthread_t a, b;
    pthread_create(&a, NULL, work, &x);
    pthread_create(&b, NULL, work, &y);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\n", x + y);
    free(table);
    return 0;
}
