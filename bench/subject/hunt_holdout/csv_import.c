/* An importer of comma-separated values: the main thread reads lines, two workers parse them and
 * add up the amounts. Refunds (negative amounts in EUR) are counted without the lock of the
 * totals. */
// stdin: id,name,amount,currency
// stdin: 1,anna,120,USD
// stdin: 2,bert,80,USD
// stdin: 3,carl,15,GBP
// input: stdin
// race: REFUND REFUND
#define _GNU_SOURCE
#include "../hunt/hunt.h"

struct row {
    struct row *next;
    char text[80];
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t more = PTHREAD_COND_INITIALIZER;
static struct row *first, **last = &first;
static int finished;
static long total[3], refunds, bad;

static void put(const char *text)
{
    struct row *r = calloc(1, sizeof *r);
    snprintf(r->text, sizeof r->text, "%s", text);
    pthread_mutex_lock(&lock);
    *last = r;
    last = &r->next;
    pthread_cond_signal(&more);
    pthread_mutex_unlock(&lock);
}

static struct row *take(void)
{
    pthread_mutex_lock(&lock);
    while (!first && !finished)
        pthread_cond_wait(&more, &lock);
    struct row *r = first;
    if (r && !(first = r->next))
        last = &first;
    pthread_mutex_unlock(&lock);
    return r;
}

static int currency(const char *name)
{
    static const char *const names[3] = {"USD", "GBP", "EUR"};
    for (int i = 0; i < 3; i++)
        if (!strcmp(name, names[i]))
            return i;
    return -1;
}

static void import(char *text)
{
    char *field[4], *p = text, *end;
    int n = 0;
    while (n < 4 && (field[n] = strsep(&p, ",")))
        n++;
    long amount = n == 4 ? strtol(field[2], &end, 10) : 0;
    int c = n == 4 ? currency(field[3]) : -1;
    if (n != 4 || *end || c < 0) {
        pthread_mutex_lock(&lock);
        bad++;
        pthread_mutex_unlock(&lock);
        return;
    }
    if (amount < 0 && c == 2) {
        GUARD();
        refunds++; /* REFUND */
        UNGUARD();
        return;
    }
    pthread_mutex_lock(&lock);
    total[c] += amount;
    pthread_mutex_unlock(&lock);
}

static void *worker(void *arg)
{
    struct row *r;
    while ((r = take())) {
        import(r->text);
        free(r);
    }
    return arg;
}

int main(void)
{
    char *line = NULL;
    size_t room = 0;
    ssize_t n;
    int header = 1;
    pthread_t t[2];
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, worker, NULL);
    while ((n = getline(&line, &room, stdin)) > 0) {
        if (line[n - 1] == '\n')
            line[n - 1] = 0;
        if (!header && *line)
            put(line);
        header = 0;
    }
    free(line);
    pthread_mutex_lock(&lock);
    finished = 1;
    pthread_cond_broadcast(&more);
    pthread_mutex_unlock(&lock);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%ld %ld %ld, %ld refunds, %ld bad\n", total[0], total[1], total[2], refunds, bad);
    return 0;
}
