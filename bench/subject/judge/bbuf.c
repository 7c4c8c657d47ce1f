// A shared buffer with two producers and two consumers, and no lock (after bbuf of the paper).
// Everything is printed at the end.
// race: in producer producer output-differs: two producers that read the same index overwrite each
//     other; `in` is printed
// race: in consumer producer output-differs: whether the consumer sees an item decides what it
//     takes, which is printed
// race: buffer producer producer output-differs: the slot keeps the item of the last producer, and
//     the sum is printed
// race: buffer consumer producer output-differs: the consumer takes 0 instead of the item if it
//     comes first
// race: out consumer consumer output-differs: two consumers that read the same index take one item
//     twice
// race: sum consumer consumer output-differs: an addition is lost, and the sum is printed
#include <pthread.h>
#include <stdio.h>

#define SIZE 8

static volatile int buffer[SIZE];
static volatile int in, out;
static volatile int sum;

static void *producer(void *first)
{
    for (int i = 0; i < 2; i++) {
        int at = in;
        buffer[at % SIZE] = (int)(long)first + i;
        in = at + 1;
    }
    return NULL;
}

static void *consumer(void *unused)
{
    (void)unused;
    for (int i = 0; i < 2; i++)
        if (out < in) {
            int at = out, item = buffer[at % SIZE];
            out = at + 1;
            sum = sum + item;
        }
    return NULL;
}

int main(void)
{
    pthread_t t[4];
    pthread_create(&t[0], NULL, producer, (void *)10);
    pthread_create(&t[1], NULL, producer, (void *)100);
    pthread_create(&t[2], NULL, consumer, NULL);
    pthread_create(&t[3], NULL, consumer, NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    printf("%d %d %d\n", in, out, sum);
    return 0;
}
