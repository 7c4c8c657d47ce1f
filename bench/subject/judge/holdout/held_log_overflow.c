// A log with a fixed number of slots. The number of entries is an argument. With the recorded one
// there is room enough; with a larger one, the index can pass the end between its test and its use.
// race: used note note spec-violated: with more entries, the block is overrun (another input)
// args: 2
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

#define SLOTS 6

static volatile unsigned used;
static char *slots;
static int entries;

static void note(char c)
{
    if (used < SLOTS)
        slots[used++] = c;
}

static void *work(void *letter)
{
    for (int i = 0; i < entries; i++)
        note((char)(long)letter);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t a, b;
    entries = argc > 1 ? atoi(argv[1]) : 0;
    if (entries < 0 || entries > 5)
        return 2;
    slots = malloc(SLOTS);
    pthread_create(&a, NULL, work, (void *)'a');
    pthread_create(&b, NULL, work, (void *)'b');
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    free(slots);
    puts("end");
    return 0;
}
