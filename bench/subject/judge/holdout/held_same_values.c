// Every worker registers the same facts.
// race: seen_error work work k-witness-harmless: everybody writes 1
// race: mode work work k-witness-harmless: everybody writes 3
// race: title work work k-witness-harmless: everybody writes the same pointer
#include <pthread.h>
#include <stdio.h>

static volatile int seen_error, mode;
static const char *volatile title = "unknown";
static const char text[] = "worker";

static void *work(void *unused)
{
    seen_error = 1;
    if (mode != 3)
        mode = 3;
    title = text;
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%s %d %d\n", title, mode, seen_error);
    return 0;
}
