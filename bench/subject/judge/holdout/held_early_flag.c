// Creation on first use, but the flag is set before the table is there.
// race: ready get get spec-violated: a thread that sees the flag uses a null pointer
// race: names get get spec-violated: read before it is written: a null pointer is used
#include <pthread.h>
#include <stdio.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static const char *const list[] = {"first", "second"};
static const char *const *volatile names;
static volatile int ready;

static const char *get(int i)
{
    if (!ready) {
        pthread_mutex_lock(&lock);
        if (!ready) {
            ready = 1;
            names = list;
        }
        pthread_mutex_unlock(&lock);
    }
    return names[i];
}

static void *work(void *number) { return (void *)get((int)(long)number); }

int main(void)
{
    pthread_t a, b;
    void *x, *y;
    pthread_create(&a, NULL, work, (void *)0);
    pthread_create(&b, NULL, work, (void *)1);
    pthread_join(a, &x);
    pthread_join(b, &y);
    printf("%s %s\n", (char *)x, (char *)y);
    return 0;
}
