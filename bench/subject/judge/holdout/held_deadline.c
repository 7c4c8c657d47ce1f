// A deadline is extended while a watchdog tests it. A missed deadline is the exit status.
// race: deadline extend watch output-differs: the exit status depends on the order
#include <pthread.h>

static volatile int deadline = 10;
static int status;

static void *extend(void *unused)
{
    deadline = 100;
    return unused;
}

static void *watch(void *unused)
{
    int now = 50;
    if (now > deadline)
        status = 3;
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, extend, NULL);
    pthread_create(&b, NULL, watch, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return status;
}
