/* A server of jobs, configured by a JSON document on standard input. If the object "pool" has
 * "steal": true and "workers" is at least 2, the workers take jobs from each other without a
 * lock. */
// stdin: {"name": "jobs", "pool": {"workers": 2, "queue": 8}, "debug": false}
// input: stdin
// race: TAKE TAKE
#include "../hunt/hunt.h"
#include <ctype.h>

static struct {
    long workers, queue;
    int steal, debug;
} settings = {.workers = 1};

static const char *at;
static int stolen;

static void skip_space(void)
{
    while (isspace((unsigned char)*at))
        at++;
}

static int string(char *to, size_t room)
{
    size_t n = 0;
    if (*at++ != '"')
        return 0;
    while (*at && *at != '"') {
        if (*at == '\\' && at[1])
            at++;
        if (n + 1 < room)
            to[n++] = *at;
        at++;
    }
    to[n] = 0;
    return *at++ == '"';
}

static int literal(const char *word)
{
    size_t n = strlen(word);
    if (strncmp(at, word, n))
        return 0;
    at += n;
    return 1;
}

static int object(const char *path);

static void set(const char *path, const char *key, long number, int truth)
{
    if (!strcmp(path, "pool")) {
        if (!strcmp(key, "workers"))
            settings.workers = number;
        else if (!strcmp(key, "queue"))
            settings.queue = number;
        else if (!strcmp(key, "steal"))
            settings.steal = truth;
    } else if (!*path && !strcmp(key, "debug"))
        settings.debug = truth;
}

static int value(const char *path, const char *key)
{
    char text[32], *end;
    skip_space();
    switch (*at) {
    case '{':
        return object(key);
    case '"':
        return string(text, sizeof text);
    case 't':
        set(path, key, 0, 1);
        return literal("true");
    case 'f':
        return literal("false");
    case 'n':
        return literal("null");
    default:
        set(path, key, strtol(at, &end, 10), 0);
        if (end == at)
            return 0;
        at = end;
        return 1;
    }
}

static int object(const char *path)
{
    char key[32];
    at++;
    skip_space();
    if (*at == '}') {
        at++;
        return 1;
    }
    for (;;) {
        skip_space();
        if (!string(key, sizeof key))
            return 0;
        skip_space();
        if (*at++ != ':' || !value(path, key))
            return 0;
        skip_space();
        if (*at == '}') {
            at++;
            return 1;
        }
        if (*at++ != ',')
            return 0;
    }
}

static void *worker(void *arg)
{
    if (settings.steal) {
        GUARD();
        stolen++; /* TAKE */
        UNGUARD();
    }
    return arg;
}

int main(void)
{
    static char text[512];
    pthread_t t[8];
    text[fread(text, 1, sizeof text - 1, stdin)] = 0;
    at = text;
    skip_space();
    if (*at != '{' || !object("")) {
        fprintf(stderr, "bad document near: %.10s\n", at);
        return 1;
    }
    if (settings.workers < 1 || settings.workers > 8)
        return 1;
    for (int i = 0; i < settings.workers; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    for (int i = 0; i < settings.workers; i++)
        pthread_join(t[i], NULL);
    printf("%ld workers, %d stolen\n", settings.workers, stolen);
    return 0;
}
