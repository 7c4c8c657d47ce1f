/* Searches lines for a pattern with . * ^ $ and [abc]. Lines are split between two threads. If the
 * pattern has a set with at least three characters and is anchored at the end, matched lines are
 * remembered in a list without a lock. */
// args: a.c
// stdin: first abc
// stdin: second
// stdin: the third axc
// stdin: last
// race: REMEMBER REMEMBER
#include "../hunt/hunt.h"

static char lines[16][64], *pattern;
static int count, remembered, sets, anchored;
static long matched;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static int here(const char *p, const char *s);

/* The end of the item at p: a character, or a set. */
static const char *item_end(const char *p)
{
    if (*p != '[')
        return p + 1;
    while (*p && *p != ']')
        p++;
    return *p ? p + 1 : p;
}

static int one(const char *p, char c)
{
    if (!c)
        return 0;
    if (*p == '.')
        return 1;
    if (*p != '[')
        return *p == c;
    for (p++; *p && *p != ']'; p++)
        if (*p == c)
            return 1;
    return 0;
}

static int here(const char *p, const char *s)
{
    if (!*p)
        return 1;
    if (*p == '$' && !p[1])
        return !*s;
    const char *end = item_end(p);
    if (*end == '*') {
        do
            if (here(end + 1, s))
                return 1;
        while (one(p, *s++));
        return 0;
    }
    return one(p, *s) && here(end, s + 1);
}

static int search(const char *s)
{
    if (*pattern == '^')
        return here(pattern + 1, s);
    do
        if (here(pattern, s))
            return 1;
    while (*s++);
    return 0;
}

static void *work(void *arg)
{
    for (int i = arg ? 1 : 0; i < count; i += 2) {
        if (!search(lines[i]))
            continue;
        if (sets >= 3 && anchored) {
            GUARD();
            remembered = i; /* REMEMBER */
            UNGUARD();
        }
        pthread_mutex_lock(&lock);
        matched++;
        pthread_mutex_unlock(&lock);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc != 2 || !*argv[1])
        return 2;
    pattern = argv[1];
    for (const char *p = pattern; *p; p = item_end(p))
        if (*p == '[' && item_end(p) - p - 2 > sets)
            sets = (int)(item_end(p) - p) - 2;
    anchored = pattern[strlen(pattern) - 1] == '$';
    while (count < 16 && fgets(lines[count], sizeof lines[count], stdin)) {
        lines[count][strcspn(lines[count], "\n")] = 0;
        count++;
    }
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, argv);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%ld lines, last %d\n", matched, remembered);
    return 0;
}
