// Two threads take numbers without a lock.
// race: next_number take take output-differs: both may take the same number; printed
// race: last_user take take k-witness-harmless: the thread that came last; never read
#include <pthread.h>
#include <stdio.h>

static volatile int next_number = 1, last_user;

static int take(int who)
{
    int n = next_number;
    next_number = n + 1;
    last_user = who;
    return n;
}

static void *work(void *to)
{
    int *number = to;
    *number = take(*number);
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    int x = 100, y = 200;
    pthread_create(&a, NULL, work, &x);
    pthread_create(&b, NULL, work, &y);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\n", x + y);
    return 0;
}
