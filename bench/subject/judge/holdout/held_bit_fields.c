// Two threads set different fields that share a byte.
// race: state set_open set_busy output-differs: a field is lost; printed
#include <pthread.h>
#include <stdio.h>

static volatile struct {
    unsigned char open : 1, busy : 1;
} state;

static void *set_open(void *unused)
{
    state.open = 1;
    return unused;
}

static void *set_busy(void *unused)
{
    state.busy = 1;
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, set_open, NULL);
    pthread_create(&b, NULL, set_busy, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d %d\n", state.open, state.busy);
    return 0;
}
