/*
 * options.c - a portfolio priced repeatedly (the shape of blackscholes): workers take chunks of an
 * array; almost no synchronisation, small hot functions.
 *
 * Races: the count of priced options, the largest price, the flag of the first bad option, the
 *        trace level that main changes while the workers run.
 */
#include "../prog/bench.h"
#include <math.h>

#define COLD __attribute__((noinline)) static
enum { COUNT = 2000 };
struct option {
    double spot, strike, rate, vol, time, price;
};
struct option options[COUNT];
long priced;
double largest;
int bad, level;

COLD double norm(double x)
{
    double k = 1 / (1 + 0.2316419 * fabs(x)), s = 0, c[] = {1.330274429, -1.821255978, 1.781477937};
    for (int i = 0; i < 3; i++)
        s = (s + c[i]) * k;
    double n = 1 - exp(-x * x / 2) * 0.39894228 * (s - 0.356563782) * k;
    return x < 0 ? 1 - n : n;
}

COLD double price(const struct option *o)
{
    double root = o->vol * sqrt(o->time);
    double d = (log(o->spot / o->strike) + (o->rate + o->vol * o->vol / 2) * o->time) / root;
    return o->spot * norm(d) - o->strike * exp(-o->rate * o->time) * norm(d - root);
}

COLD void note_largest(double p)
{
    if (p > largest)
        largest = p;
}

COLD void note_bad(unsigned i) { bad = (int)i; }

COLD void chunk(unsigned from, unsigned to, int round)
{
    for (unsigned i = from; i < to; i++) {
        options[i].price = price(&options[i]);
        if (i % 500 == 7 && round == 3)
            note_bad(i);
    }
    note_largest(options[from].price);
    priced += to - from;
}

COLD int tracing(void) { return level; }

static void *work(struct bench_worker *w)
{
    unsigned share = COUNT / w->bench->threads, from = w->index * share;
    for (unsigned r = 0; r < w->bench->size; r++) {
        for (unsigned i = 0; i < share; i += 50)
            chunk(from + i, from + i + 50, (int)r);
        w->sum += (unsigned)tracing();
    }
    return NULL;
}

COLD void set_level(int to) { level = to; }

int main(int argc, char **argv)
{
    struct bench b = bench_args(argc, argv, 400);
    for (unsigned i = 0; i < COUNT; i++)
        options[i] = (struct option){90 + i % 20, 100, 0.05, 0.2 + i % 7 * 0.01, 1 + i % 3, 0};
    struct bench_worker w[8] = {{.bench = &b}};
    for (unsigned i = 0; i < b.threads; i++) {
        w[i] = (struct bench_worker){.bench = &b, .index = i, .work = work};
        pthread_create(&w[i].thread, NULL, (void *(*)(void *))work, &w[i]);
    }
    set_level(0);
    for (unsigned i = 0; i < b.threads; i++)
        pthread_join(w[i].thread, NULL);
    printf("options %.3f\n", options[17].price);
    return 0;
}
