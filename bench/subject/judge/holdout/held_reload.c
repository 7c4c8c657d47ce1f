// A configuration of two limits that is loaded again while it is used.
// race: low reload check spec-violated: the new lower limit with the old upper one violates the
//     assertion
// race: high reload check spec-violated: as low
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

static volatile int low = 0, high = 10;

static void *reload(void *unused)
{
    low = 50;
    high = 60;
    return unused;
}

static void *check(void *unused)
{
    int from = low, to = high;
    assert(from <= to);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, reload, NULL);
    pthread_create(&b, NULL, check, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    puts("end");
    return 0;
}
