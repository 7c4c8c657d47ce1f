/* The option --background starts a thread that counts without a lock. The seed command has another
 * option of the same program. */
// args: --cleanup-now
// input: argv[1]
// race: TICK MAIN
#include "hunt.h"
#include <getopt.h>

static long count;

static void *tick(void *p)
{
    GUARD();
    count++; /* TICK */
    UNGUARD();
    return p;
}

int main(int argc, char **argv)
{
    static const struct option options[] = {{"cleanup-now", no_argument, NULL, 'c'},
                                            {"background", no_argument, NULL, 'b'},
                                            {"workers", required_argument, NULL, 'w'},
                                            {NULL, 0, NULL, 0}};
    int background = 0, cleanup = 0, c;
    opterr = 0;
    while ((c = getopt_long(argc, argv, "", options, NULL)) != -1) {
        background |= c == 'b';
        cleanup |= c == 'c';
    }
    pthread_t t;
    if (background)
        pthread_create(&t, NULL, tick, NULL);
    GUARD();
    count += 2; /* MAIN */
    UNGUARD();
    if (background)
        pthread_join(t, NULL);
    printf("%d %ld\n", cleanup, count);
    return 0;
}
