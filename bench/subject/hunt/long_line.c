/* A line of more than 64 bytes does not fit into the buffer of its thread. It is then copied to a
 * buffer that both threads use, without a lock. The seed line is short. */
// stdin: short
// input: stdin
// race: STORE LOAD
#include "hunt.h"

static char common[256];
static size_t length;

static void *store(void *p)
{
    if (length > 64) {
        GUARD();
        common[0] = *(char *)p; /* STORE */
        UNGUARD();
    }
    return NULL;
}

static void *load(void *p)
{
    (void)p;
    if (length > 64) {
        GUARD();
        putchar(common[0]); /* LOAD */
        UNGUARD();
    }
    return NULL;
}

int main(void)
{
    unsigned char line[256];
    length = read_input(line, sizeof line);
    run_two(store, load, line);
    return 0;
}
