/*
 * transfers.c - transfers between accounts, two locks each; every account keeps its last entries.
 *
 * bench: size=1200000 quick=60000 contention=300000
 *
 * Shows:   two lock operations for a few accesses to structs of mixed fields, in random order; a
 *          small ring in each struct. Size is the number of transfers.
 * Hides:   loops over arrays, waiting: there are many more accounts than threads. There are no
 *          races. Sums do not depend on the order of transfers.
 */
#include "bench.h"

enum { ACCOUNTS = 4096, ENTRIES = 6, STEPS = 4 };

struct entry {
    unsigned other;
    int amount;
    char kind;
};

struct account {
    pthread_mutex_t lock;
    int64_t balance;
    unsigned count;
    unsigned short flags;
    char name[10];
    struct entry last[ENTRIES];
};

struct books {
    struct account *account;
    pthread_barrier_t step;
};

static void book(struct account *a, unsigned other, int amount, char kind)
{
    struct entry *e = &a->last[a->count++ % ENTRIES];
    e->other = other;
    e->amount = amount;
    e->kind = kind;
    a->balance += kind == '+' ? amount : -amount;
    a->flags = (unsigned short)(a->flags | (kind == '+' ? 1 : 2));
}

static void transfer(struct books *b, unsigned from, unsigned to, int amount)
{
    struct account *first = &b->account[from < to ? from : to];
    struct account *second = &b->account[from < to ? to : from];
    pthread_mutex_lock(&first->lock);
    pthread_mutex_lock(&second->lock);
    book(&b->account[from], to, amount, '-');
    book(&b->account[to], from, amount, '+');
    pthread_mutex_unlock(&second->lock);
    pthread_mutex_unlock(&first->lock);
}

static uint64_t audit(const struct account *a)
{
    uint64_t sum = (uint64_t)a->balance * 31 + a->count + a->flags;
    for (size_t i = 0; a->name[i]; i++)
        sum = sum * 31 + (unsigned char)a->name[i];
    return sum;
}

static void *work(struct bench_worker *w)
{
    struct books *b = w->arg;
    size_t from = bench_cut(w->bench->size, w->index, w->bench->threads);
    size_t to = bench_cut(w->bench->size, w->index + 1, w->bench->threads);
    for (int step = 0; step < STEPS; step++) {
        for (size_t i = from; i < to; i++) {
            uint64_t h = bench_hash(i * STEPS + (size_t)step);
            unsigned one = h % ACCOUNTS, other = (h >> 20) % ACCOUNTS;
            if (one != other)
                transfer(b, one, other, (int)(h >> 40) % 1000);
        }
        pthread_barrier_wait(&b->step);
        if (w->index == 0)
            for (unsigned i = 0; i < ACCOUNTS; i++)
                b->account[i].balance += (int64_t)(audit(&b->account[i]) % 7);
        pthread_barrier_wait(&b->step);
    }
    return NULL;
}

int main(int argc, char **argv)
{
    struct bench b = bench_args(argc, argv, 1200000);
    struct books books = {.account = calloc(ACCOUNTS, sizeof *books.account)};
    if (!books.account)
        bench_fail("out of memory");
    for (unsigned i = 0; i < ACCOUNTS; i++) {
        pthread_mutex_init(&books.account[i].lock, NULL);
        snprintf(books.account[i].name, sizeof books.account[i].name, "a%u", i);
    }
    pthread_barrier_init(&books.step, NULL, b.threads);
    bench_run(&b, work, &books);
    uint64_t sum = 0;
    for (unsigned i = 0; i < ACCOUNTS; i++) {
        sum = sum * 31 + audit(&books.account[i]);
        pthread_mutex_destroy(&books.account[i].lock);
    }
    pthread_barrier_destroy(&books.step);
    free(books.account);
    return bench_end("transfers", sum);
}
