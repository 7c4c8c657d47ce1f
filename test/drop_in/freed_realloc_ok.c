// want: none
// Blocks are used after realloc has moved them, changed them in place, or failed.
#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>

static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
static int *block;

static void *user(void *arg)
{
    pthread_mutex_lock(&m);
    for (int i = 0; i < 6; i++)
        block[i]++;
    pthread_mutex_unlock(&m);
    return arg;
}

static void use(void)
{
    pthread_t t;
    pthread_create(&t, NULL, user, NULL);
    user(NULL);
    pthread_join(t, NULL);
}

static void resize(size_t n)
{
    int *now = realloc(block, n);
    if (now)
        block = now;
    use();
}

int main(void)
{
    block = calloc(6, sizeof *block);
    resize(2000);      /* in place: the rest of the heap is free */
    void *next = malloc(64);
    resize(4000);      /* moves */
    resize(40);        /* shrinks */
    resize(100);       /* in place: the space behind it is free */
    resize(SIZE_MAX / 4); /* fails */
    resize(200 << 10); /* a mapping of its own */
    resize(90);
    void *again = malloc(24);
    free(again);
    free(next);
    free(block);
    return 0;
}
