/* A parser of settings, nested two deep: NAME={KEY=DIGIT;KEY=DIGIT}. The threads share their cache
 * without a lock if the setting is cache={share=N} with N above 5. */
// stdin: names={index=2;depth=1}
// input: stdin
// runs: 250
// race: PUT GET
#include "hunt.h"

struct settings {
    int share;
};

static int cached;

static const char *skip_word(const char *p)
{
    while (*p >= 'a' && *p <= 'z')
        p++;
    return p;
}

static int is_word(const char *from, const char *to, const char *word)
{
    size_t n = strlen(word), i = 0;
    if ((size_t)(to - from) != n)
        return 0;
    while (i < n && from[i] == word[i])
        i++;
    return i == n;
}

/* KEY=DIGIT;... up to the closing brace. False: the text is wrong. */
static int parse_inner(const char *p, int in_cache, struct settings *s)
{
    for (;;) {
        const char *key = p;
        p = skip_word(p);
        if (*p != '=' || p[1] < '0' || p[1] > '9')
            return 0;
        if (in_cache && is_word(key, p, "share"))
            s->share = p[1] - '0';
        p += 2;
        if (*p == '}')
            return 1;
        if (*p++ != ';')
            return 0;
    }
}

static int parse(const char *text, struct settings *s)
{
    const char *end = skip_word(text);
    return *end == '=' && end[1] == '{' && parse_inner(end + 2, is_word(text, end, "cache"), s);
}

static void *put(void *p)
{
    struct settings *s = p;
    if (s->share > 5) {
        GUARD();
        cached = s->share; /* PUT */
        UNGUARD();
    }
    return NULL;
}

static void *get(void *p)
{
    struct settings *s = p;
    if (s->share > 5) {
        GUARD();
        printf("%d\n", cached); /* GET */
        UNGUARD();
    }
    return NULL;
}

int main(void)
{
    char text[64] = {0};
    struct settings s = {0};
    read_input((unsigned char *)text, sizeof text - 1);
    if (!parse(text, &s)) {
        puts("bad settings");
        return 1;
    }
    run_two(put, get, &s);
    return 0;
}
