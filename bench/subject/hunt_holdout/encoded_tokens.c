/* Checks access tokens. Arguments are tokens in Base64; each decodes to a version, a role, a number
 * of days and a name. A thread of its own checks each token. A token of version 2 for an
 * administrator (role 9) that is valid for more than a year changes the audit counter without a
 * lock. */
// args: AQMeYW5uYQ== AQUKYmVydA==
// input: argv
// race: AUDIT AUDIT
#include "../hunt/hunt.h"

static const char alphabet[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
static signed char value_of[256];
static long audited, accepted;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

struct token {
    unsigned char bytes[48];
    size_t n;
};

static int decode(const char *text, struct token *out)
{
    unsigned bits = 0, held = 0;
    for (; *text && *text != '='; text++) {
        int v = value_of[(unsigned char)*text];
        if (v < 0 || out->n == sizeof out->bytes)
            return 0;
        bits = bits << 6 | (unsigned)v;
        held += 6;
        if (held >= 8) {
            held -= 8;
            out->bytes[out->n++] = (unsigned char)(bits >> held);
        }
    }
    return strspn(text, "=") == strlen(text);
}

static void *check(void *arg)
{
    struct token t = {.n = 0};
    if (!decode(arg, &t) || t.n < 5)
        return NULL;
    unsigned days = t.bytes[2];
    size_t name = 3;
    if (t.bytes[0] == 2) { /* the days of version 2 have two bytes */
        days = days << 8 | t.bytes[3];
        name = 4;
    } else if (t.bytes[0] != 1) {
        return NULL;
    }
    for (size_t i = name; i < t.n; i++)
        if (t.bytes[i] < 'a' || t.bytes[i] > 'z')
            return NULL;
    if (t.bytes[0] == 2 && t.bytes[1] == 9 && days > 366) {
        GUARD();
        audited += (long)t.n; /* AUDIT */
        UNGUARD();
    }
    pthread_mutex_lock(&lock);
    accepted++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t[8];
    int n = argc - 1 < 8 ? argc - 1 : 8;
    memset(value_of, -1, sizeof value_of);
    for (int i = 0; i < 64; i++)
        value_of[(unsigned char)alphabet[i]] = (signed char)i;
    for (int i = 0; i < n; i++)
        pthread_create(&t[i], NULL, check, argv[i + 1]);
    for (int i = 0; i < n; i++)
        pthread_join(t[i], NULL);
    printf("%ld accepted, %ld audited\n", accepted, audited);
    return 0;
}
