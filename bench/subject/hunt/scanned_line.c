/* A line "job NAME N" is read with sscanf and printed into a buffer with snprintf. If the text in
 * the buffer is "fast:37", the threads share their result without a lock, under every schedule. */
// stdin: job slow 10
// input: stdin
// runs: 20
// race: PUT GET
#include "hunt.h"

static long result;

static void *put(void *p)
{
    if (!strcmp(p, "fast:37")) {
        GUARD();
        result = 1; /* PUT */
        UNGUARD();
    }
    return NULL;
}

static void *get(void *p)
{
    if (!strcmp(p, "fast:37")) {
        GUARD();
        printf("%ld\n", result); /* GET */
        UNGUARD();
    }
    return NULL;
}

int main(void)
{
    char line[64] = {0}, name[16] = "", text[32];
    int n = 0;
    read_input((unsigned char *)line, sizeof line - 1);
    if (sscanf(line, "job %15s %d", name, &n) != 2)
        return 1;
    snprintf(text, sizeof text, "%s:%d", name, n);
    run_two(put, get, text);
    return 0;
}
