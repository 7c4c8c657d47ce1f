// A ring of two slots between one producer and one consumer; both poll the counters.
// race: slot produce consume single-ordering: the consumer polls `produced` before it reads a slot,
//     and the producer polls `consumed` before it uses a slot again
// race: produced produce consume k-witness-harmless: the counter of ad hoc synchronisation
// race: consumed produce consume k-witness-harmless: as produced
#include <pthread.h>
#include <stdio.h>

static volatile int slot[2];
static volatile unsigned produced, consumed;

static void *produce(void *unused)
{
    for (int i = 0; i < 4; i++) {
        while (produced - consumed == 2)
            ;
        slot[produced % 2] = 10 + i;
        produced = produced + 1;
    }
    return unused;
}

static void *consume(void *unused)
{
    int sum = 0;
    for (int i = 0; i < 4; i++) {
        while (produced == consumed)
            ;
        sum = sum * 3 + slot[consumed % 2];
        consumed = consumed + 1;
    }
    printf("%d\n", sum);
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, produce, NULL);
    pthread_create(&b, NULL, consume, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    return 0;
}
