// A handler is removed while another thread calls it.
// race: handler call unset spec-violated: removed between its test and the call
// race: calls call unset output-differs: read and printed by the thread that removes the handler
#include <pthread.h>
#include <stdio.h>

static volatile int calls;

static void count(void) {}

static void (*volatile handler)(void) = count;

static void *call(void *unused)
{
    calls = 1;
    if (handler)
        handler();
    return unused;
}

static void unset(void)
{
    int n = calls;
    handler = NULL;
    printf("%d calls so far\n", n);
}

int main(void)
{
    pthread_t a;
    pthread_create(&a, NULL, call, NULL);
    unset();
    pthread_join(a, NULL);
    return 0;
}
