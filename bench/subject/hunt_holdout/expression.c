/* An evaluator of expressions: numbers, + - * /, parentheses, and the functions abs, sq and memo.
 * Both sides of a comma are evaluated by a thread of their own. memo() with an argument of 1000 or
 * more keeps its result in a table without a lock. */
// args: 1+2*3,4-abs(5)
// input: argv
// race: KEEP KEEP
#include "../hunt/hunt.h"
#include <ctype.h>

struct parser {
    const char *at;
    int error;
    long value;
};

static long table[16];

static long sum(struct parser *p);

static long call(struct parser *p)
{
    char name[8];
    size_t n = 0;
    while (isalpha((unsigned char)*p->at) && n < sizeof name - 1)
        name[n++] = *p->at++;
    name[n] = 0;
    if (*p->at != '(') {
        p->error = 1;
        return 0;
    }
    p->at++;
    long x = sum(p);
    if (*p->at++ != ')')
        p->error = 1;
    if (p->error)
        return 0;
    if (strcmp(name, "abs") == 0)
        return x < 0 ? -x : x;
    if (strcmp(name, "sq") == 0)
        return x * x;
    if (strcmp(name, "memo") == 0) {
        if (x >= 1000) {
            GUARD();
            table[0] = x; /* KEEP */
            UNGUARD();
        }
        return x;
    }
    p->error = 1;
    return 0;
}

static long factor(struct parser *p)
{
    if (isdigit((unsigned char)*p->at)) {
        char *end;
        long x = strtol(p->at, &end, 10);
        p->at = end;
        return x;
    }
    if (*p->at == '-') {
        p->at++;
        return -factor(p);
    }
    if (*p->at == '(') {
        p->at++;
        long x = sum(p);
        if (*p->at++ != ')')
            p->error = 1;
        return x;
    }
    if (isalpha((unsigned char)*p->at))
        return call(p);
    p->error = 1;
    return 0;
}

static long product(struct parser *p)
{
    long x = factor(p);
    while (!p->error && (*p->at == '*' || *p->at == '/')) {
        char op = *p->at++;
        long y = factor(p);
        if (op == '/' && y == 0)
            p->error = 1;
        else
            x = op == '*' ? x * y : x / y;
    }
    return x;
}

static long sum(struct parser *p)
{
    long x = product(p);
    while (!p->error && (*p->at == '+' || *p->at == '-')) {
        char op = *p->at++;
        long y = product(p);
        x = op == '+' ? x + y : x - y;
    }
    return x;
}

static void *evaluate(void *arg)
{
    struct parser *p = arg;
    p->value = sum(p);
    if (*p->at && *p->at != ',')
        p->error = 1;
    return NULL;
}

int main(int argc, char **argv)
{
    if (argc < 2)
        return 1;
    const char *comma = strchr(argv[1], ',');
    if (!comma)
        return 1;
    struct parser left = {.at = argv[1]}, right = {.at = comma + 1};
    pthread_t a, b;
    pthread_create(&a, NULL, evaluate, &left);
    pthread_create(&b, NULL, evaluate, &right);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    if (left.error || right.error) {
        puts("syntax error");
        return 1;
    }
    printf("%ld %ld, kept %ld\n", left.value, right.value, table[0]);
    return 0;
}
