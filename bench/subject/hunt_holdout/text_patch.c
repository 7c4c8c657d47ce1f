/* Applies a patch to a text. Standard input has the patch: hunks "@@ -LINE,COUNT +LINE,COUNT @@",
 * then lines that begin with =, - or +, as many of each as the head says. Two threads apply
 * the hunks, one those at odd numbers. A hunk that removes nothing and adds at least two lines
 * appends to a log that has no lock. */
// stdin: @@ -2,2 +2,2 @@
// stdin: =beta
// stdin: -gamma
// stdin: +delta
// stdin: @@ -5,1 +5,2 @@
// stdin: =last
// stdin: +more
// input: stdin
// race: APPEND APPEND
#include "../hunt/hunt.h"

struct hunk {
    unsigned line, removed, added, kept;
};

static struct hunk hunks[16];
static int count;
static unsigned log_end;
static char log_of[64];
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static unsigned total;

/* Reads the lines of a hunk with `old` lines of the old text and `new` ones of the new text. */
static int body(struct hunk *h, unsigned old, unsigned new)
{
    char line[100];
    while (old || new) {
        if (!fgets(line, sizeof line, stdin))
            return 0;
        switch (line[0]) {
        case '=':
            if (!old || !new)
                return 0;
            old--, new --, h->kept++;
            break;
        case '-':
            if (!old)
                return 0;
            old--, h->removed++;
            break;
        case '+':
            if (!new)
                return 0;
            new --, h->added++;
            break;
        default:
            return 0;
        }
    }
    return 1;
}

static int parse(void)
{
    char line[100];
    unsigned last = 0;
    while (count < 16 && fgets(line, sizeof line, stdin)) {
        struct hunk *h = &hunks[count];
        unsigned from, old, to, new;
        if (sscanf(line, "@@ -%u,%u +%u,%u @@", &from, &old, &to, &new) != 4 || from <= last)
            return 0;
        h->line = from;
        if (!body(h, old, new))
            return 0;
        last = from + old;
        count++;
    }
    return 1;
}

static void *apply(void *arg)
{
    for (int i = arg ? 1 : 0; i < count; i += 2) {
        const struct hunk *h = &hunks[i];
        if (h->removed == 0 && h->added >= 2) {
            GUARD();
            log_of[log_end++ % 64] = (char)('a' + i); /* APPEND */
            UNGUARD();
        }
        pthread_mutex_lock(&lock);
        total += h->added + h->kept;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(void)
{
    if (!parse()) {
        fprintf(stderr, "hunk %d is malformed\n", count + 1);
        return 1;
    }
    pthread_t a, b;
    pthread_create(&a, NULL, apply, NULL);
    pthread_create(&b, NULL, apply, hunks);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%u lines, log of %u: %.64s\n", total, log_end, log_of);
    return 0;
}
