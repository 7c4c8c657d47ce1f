/* The first eight bytes of the input must be one certain word. Only then do the threads use the
 * index, without a lock. */
// stdin: some plain text, nothing else
// input: stdin
// race: FILL READ
#include "hunt.h"

static int indexed;
static long entries;

static void *fill(void *p)
{
    (void)p;
    if (indexed) {
        GUARD();
        entries = 12; /* FILL */
        UNGUARD();
    }
    return NULL;
}

static void *use(void *p)
{
    (void)p;
    if (indexed) {
        GUARD();
        printf("%ld entries\n", entries); /* READ */
        UNGUARD();
    }
    return NULL;
}

int main(void)
{
    unsigned char data[32];
    uint64_t word = 0;
    if (read_input(data, sizeof data) < sizeof word)
        return 1;
    memcpy(&word, data, sizeof word);
    indexed = word == 0x314658444e494650; /* "PFINDXF1" */
    run_two(fill, use, NULL);
    return 0;
}
