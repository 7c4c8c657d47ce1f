// A library that traces function calls, used by two threads (after ctrace of the paper). It has no
// lock.
// race: table trc_end trc_end spec-violated: both threads see the table and free it (Figure 14 a)
// race: initialised trc_init trc_init k-witness-harmless: both write 1
// race: flags trc_init trc_init k-witness-harmless: both write the default
// race: unit trc_init trc_init k-witness-harmless: both write standard error
// race: version trc_init trc_init k-witness-harmless: both write the version
// race: level trc_set trc_set output-differs: the last level is printed
// race: mask trc_set trc_set output-differs: the last mask is printed
// race: owner trc_set trc_set output-differs: the name of the last thread is printed
// race: lines trc_print trc_print output-differs: a line is not counted; the number is printed
// race: bytes trc_print trc_print output-differs: an addition is lost; the number is printed
// race: last_line trc_print trc_print output-differs: the line of the last thread is printed
// race: depth trc_enter trc_enter output-differs: an increment is lost; the depth is printed
// race: deepest trc_enter trc_enter output-differs: the maximum is overwritten by a smaller value,
//     and printed
// race: first trc_enter trc_enter output-differs: the name of the thread that came first is
//     printed
// race: errors trc_check trc_check output-differs: an increment is lost; the number is printed
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char *volatile table;
static volatile int initialised, flags, unit, version;
static volatile int level, mask, lines, bytes, last_line, depth, deepest, errors;
static const char *volatile owner = "nobody";
static const char *volatile first;

struct tracer {
    const char *name;
    int level, line;
};

static void trc_init(void)
{
    initialised = 1;
    flags = 0x11;
    unit = 2;
    version = 120;
}

static void trc_set(const struct tracer *t)
{
    level = t->level;
    mask = 1 << t->level;
    owner = t->name;
}

static void trc_enter(const struct tracer *t)
{
    int now = depth + t->level;
    depth = now;
    if (now > deepest)
        deepest = now;
    if (!first)
        first = t->name;
}

static void trc_print(const struct tracer *t, const char *text)
{
    lines = lines + 1;
    bytes = bytes + (int)strlen(text);
    last_line = t->line;
}

static void trc_check(void) { errors = errors + 1; }

static void trc_end(void)
{
    if (table) {
        free(table);
        table = NULL;
    }
}

static void *work(void *arg)
{
    const struct tracer *t = arg;
    trc_init();
    trc_set(t);
    trc_enter(t);
    trc_print(t, t->name);
    trc_check();
    trc_end();
    return NULL;
}

int main(void)
{
    static struct tracer tracers[] = {{"one", 1, 100}, {"three", 3, 300}};
    pthread_t t[2];
    table = malloc(64);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, &tracers[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%d %d %s %d %d %d %d %d %s %d\n", level, mask, owner, lines, bytes, last_line, depth,
           deepest, first ? first : "none", errors);
    return 0;
}
