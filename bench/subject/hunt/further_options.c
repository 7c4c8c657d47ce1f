/* A tool that adds up lines of its input. With --jobs=2 or more, two threads take lines in turn;
 * lines that begin with "minus" are counted without a lock. The seed command has no options, and
 * only one line of another kind. */
// stdin: plus 1
// stdin: plus 2
// runs: 150
// race: COUNT COUNT
#include "hunt.h"
#include <getopt.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char lines[8][32];
static int count, next;
static long total, negative;

static void *work(void *arg)
{
    for (;;) {
        pthread_mutex_lock(&lock);
        int mine = next++;
        pthread_mutex_unlock(&lock);
        if (mine >= count)
            return arg;
        char *space = strchr(lines[mine], ' ');
        if (!space)
            continue;
        *space = 0;
        if (strcmp(lines[mine], "minus") == 0) {
            GUARD();
            negative++; /* COUNT */
            UNGUARD();
        } else if (strcmp(lines[mine], "plus") == 0) {
            pthread_mutex_lock(&lock);
            total += atoi(space + 1);
            pthread_mutex_unlock(&lock);
        }
    }
}

int main(int argc, char **argv)
{
    static const struct option longs[] = {
        {"jobs", required_argument, NULL, 'j'}, {"quiet", no_argument, NULL, 'q'}, {0}};
    int c, jobs = 1, quiet = 0;
    while ((c = getopt_long(argc, argv, "j:q", longs, NULL)) != -1)
        if (c == 'j')
            jobs = atoi(optarg);
        else if (c == 'q')
            quiet = 1;
        else
            return 2;
    while (count < 8 && fgets(lines[count], sizeof lines[count], stdin))
        count++;
    if (jobs >= 2)
        run_two(work, work, NULL);
    else
        work(NULL);
    if (!quiet)
        printf("%ld, %ld negative\n", total, negative);
    return 0;
}
