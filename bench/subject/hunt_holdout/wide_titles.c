/* Measures the width of titles in UTF-8. A thread takes the titles of a file, another one those of
 * standard input. A title with an ideograph (U+4E00 to U+9FFF) that begins with a mark for text
 * from right to left (U+200F) widens a column without a lock. */
// args: titles
// file: titles=Winterreise
// file: titles=Die schöne Müllerin
// stdin: Dichterliebe
// stdin: Myrthen
// race: WIDEN WIDEN
#include "../hunt/hunt.h"

static unsigned column, titles, bad;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The code point at *at, or -1. */
static long next(const unsigned char **at)
{
    const unsigned char *p = *at;
    int more = *p < 0x80 ? 0 : *p < 0xc2 ? -1 : *p < 0xe0 ? 1 : *p < 0xf0 ? 2 : *p < 0xf5 ? 3 : -1;
    if (more < 0)
        return -1;
    long c = more ? *p & (0x3f >> more) : *p;
    for (p++; more; more--, p++) {
        if ((*p & 0xc0) != 0x80)
            return -1;
        c = c << 6 | (*p & 0x3f);
    }
    *at = p;
    return c;
}

static void measure(const unsigned char *s)
{
    unsigned width = 0;
    int reversed = 0, wide = 0, first = 1;
    while (*s && *s != '\n') {
        long c = next(&s);
        if (c < 0) {
            pthread_mutex_lock(&lock);
            bad++;
            pthread_mutex_unlock(&lock);
            return;
        }
        reversed |= first && c == 0x200f;
        wide |= c >= 0x4e00 && c <= 0x9fff;
        width += c >= 0x4e00 && c <= 0x9fff ? 2 : c >= 0x300 && c < 0x370 ? 0 : 1;
        first = 0;
    }
    if (reversed && wide) {
        GUARD();
        column += width; /* WIDEN */
        UNGUARD();
    }
    pthread_mutex_lock(&lock);
    titles++;
    pthread_mutex_unlock(&lock);
}

static void *take(void *arg)
{
    char line[120];
    while (fgets(line, sizeof line, arg))
        measure((const unsigned char *)line);
    return NULL;
}

int main(int argc, char **argv)
{
    FILE *f = argc == 2 ? fopen(argv[1], "r") : NULL;
    if (!f)
        return 2;
    pthread_t a, b;
    pthread_create(&a, NULL, take, f);
    pthread_create(&b, NULL, take, stdin);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    fclose(f);
    printf("%u titles, %u bad, column %u\n", titles, bad, column);
    return 0;
}
