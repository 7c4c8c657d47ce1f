/*
 * ledger.c - a bank: clerks move money between accounts, an auditor sums up, a reporter prints.
 *
 * Shape:  small critical sections inside of functions (account_*, journal_*), much work outside.
 * Races:  unprotected counters and caches: the statistics of each kind of transfer, the best
 *         customer, the auditor's hint, and the flag that ends the day.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define ACCOUNTS 24
#define CLERKS 3
#ifndef TRANSFERS
#define TRANSFERS 60
#endif
#ifndef REPORTS
#define REPORTS 40
#endif
#ifndef JOURNAL
#define JOURNAL 256
#endif

enum kind { DEPOSIT, WITHDRAWAL, TRANSFER, FEE, KINDS };

struct account {
    pthread_mutex_t lock;
    long balance;
    unsigned moves;
    int frozen;
    char owner[16];
};

struct entry {
    unsigned number;
    enum kind kind;
    int from, to;
    long amount;
};

static struct account accounts[ACCOUNTS];

static struct {
    pthread_mutex_t lock;
    struct entry at[JOURNAL];
    unsigned n;
} journal = {.lock = PTHREAD_MUTEX_INITIALIZER};

static struct { /* unprotected */
    unsigned long moved[KINDS];
    long largest[KINDS];
    int best_customer;
    long best_balance;
    unsigned audits;
    long hint;
} stats;
static int closing;

/* --- accounts --- */

static void account_lock(struct account *a) { pthread_mutex_lock(&a->lock); }
static void account_unlock(struct account *a) { pthread_mutex_unlock(&a->lock); }

static void account_init(struct account *a, int i)
{
    pthread_mutex_init(&a->lock, NULL);
    a->balance = 1000 + 10 * i;
    snprintf(a->owner, sizeof a->owner, "customer%d", i);
}

static long account_balance(struct account *a)
{
    account_lock(a);
    long v = a->balance;
    account_unlock(a);
    return v;
}

static int account_add(struct account *a, long amount)
{
    int ok = 0;
    account_lock(a);
    if (!a->frozen && a->balance + amount >= 0) {
        a->balance += amount;
        a->moves++;
        ok = 1;
    }
    account_unlock(a);
    return ok;
}

/* Both locks, the lower one first. */
static int account_move(struct account *from, struct account *to, long amount)
{
    struct account *first = from < to ? from : to, *second = from < to ? to : from;
    int ok = 0;
    account_lock(first);
    account_lock(second);
    if (!from->frozen && !to->frozen && from->balance >= amount) {
        from->balance -= amount;
        to->balance += amount;
        from->moves++;
        to->moves++;
        ok = 1;
    }
    account_unlock(second);
    account_unlock(first);
    return ok;
}

static void account_freeze(struct account *a, int frozen)
{
    account_lock(a);
    a->frozen = frozen;
    account_unlock(a);
}

/* --- the journal --- */

static void journal_add(enum kind kind, int from, int to, long amount)
{
    pthread_mutex_lock(&journal.lock);
    if (journal.n < JOURNAL) {
        struct entry *e = &journal.at[journal.n];
        e->number = journal.n++;
        e->kind = kind;
        e->from = from;
        e->to = to;
        e->amount = amount;
    }
    pthread_mutex_unlock(&journal.lock);
}

static unsigned journal_length(void)
{
    pthread_mutex_lock(&journal.lock);
    unsigned n = journal.n;
    pthread_mutex_unlock(&journal.lock);
    return n;
}

static long journal_sum(unsigned from, unsigned to)
{
    long sum = 0;
    pthread_mutex_lock(&journal.lock);
    for (unsigned i = from; i < to && i < journal.n; i++)
        sum += journal.at[i].amount;
    pthread_mutex_unlock(&journal.lock);
    return sum;
}

/* --- statistics: the races --- */

static void note_move(enum kind kind, long amount)
{
    stats.moved[kind]++;
    if (amount > stats.largest[kind])
        stats.largest[kind] = amount;
}

static void note_customer(int i, long balance)
{
    if (balance > stats.best_balance) {
        stats.best_balance = balance;
        stats.best_customer = i;
    }
}

/* --- clerks --- */

struct clerk {
    pthread_t thread;
    unsigned seed;
    int number, refused;
};

static unsigned roll(struct clerk *c)
{
    c->seed = c->seed * 1103515245u + 12345u;
    return c->seed >> 16 & 0x7fff;
}

static void do_deposit(struct clerk *c)
{
    int i = (int)(roll(c) % ACCOUNTS);
    long amount = 1 + roll(c) % 50;
    if (account_add(&accounts[i], amount)) {
        journal_add(DEPOSIT, -1, i, amount);
        note_move(DEPOSIT, amount);
    } else {
        c->refused++;
    }
}

static void do_withdrawal(struct clerk *c)
{
    int i = (int)(roll(c) % ACCOUNTS);
    long amount = 1 + roll(c) % 80;
    if (account_add(&accounts[i], -amount)) {
        journal_add(WITHDRAWAL, i, -1, amount);
        note_move(WITHDRAWAL, amount);
    } else {
        c->refused++;
    }
}

static void do_transfer(struct clerk *c)
{
    int i = (int)(roll(c) % ACCOUNTS), k = (int)(roll(c) % ACCOUNTS);
    long amount = 1 + roll(c) % 200;
    if (i == k)
        return;
    if (account_move(&accounts[i], &accounts[k], amount)) {
        journal_add(TRANSFER, i, k, amount);
        note_move(TRANSFER, amount);
        note_customer(k, account_balance(&accounts[k]));
    } else {
        c->refused++;
    }
}

static void do_fee(struct clerk *c)
{
    int i = (int)(roll(c) % ACCOUNTS);
    if (account_add(&accounts[i], -1)) {
        journal_add(FEE, i, -1, 1);
        note_move(FEE, 1);
    }
    if (roll(c) % 16 == 0) {
        account_freeze(&accounts[i], 1);
        account_freeze(&accounts[i], 0);
    }
}

static void *clerk(void *arg)
{
    struct clerk *c = arg;
    for (int i = 0; i < TRANSFERS && !closing; i++)
        switch (roll(c) % 4) {
        case 0:
            do_deposit(c);
            break;
        case 1:
            do_withdrawal(c);
            break;
        case 2:
            do_transfer(c);
            break;
        default:
            do_fee(c);
        }
    return NULL;
}

/* --- auditor and reporter --- */

static long total(void)
{
    long sum = 0;
    for (int i = 0; i < ACCOUNTS; i++)
        sum += account_balance(&accounts[i]);
    return sum;
}

static void *auditor(void *arg)
{
    unsigned seen = 0;
    for (int round = 0; round < 4; round++) {
        unsigned n = journal_length();
        long moved = journal_sum(seen, n);
        seen = n;
        stats.hint = total() - moved;
        stats.audits++;
    }
    return arg;
}

static void *reporter(void *arg)
{
    char line[96];
    for (int i = 0; i < REPORTS; i++) {
        snprintf(line, sizeof line, "%lu %lu %lu best %d hint %ld", stats.moved[DEPOSIT],
                 stats.moved[WITHDRAWAL], stats.moved[TRANSFER], stats.best_customer, stats.hint);
        if (strlen(line) == 0)
            abort();
    }
    closing = 1;
    return arg;
}

int main(void)
{
    struct clerk clerks[CLERKS];
    pthread_t audit, report;
    for (int i = 0; i < ACCOUNTS; i++)
        account_init(&accounts[i], i);
    for (int i = 0; i < CLERKS; i++) {
        clerks[i] = (struct clerk){.seed = 7u * (unsigned)i + 1, .number = i};
        pthread_create(&clerks[i].thread, NULL, clerk, &clerks[i]);
    }
    pthread_create(&audit, NULL, auditor, NULL);
    pthread_create(&report, NULL, reporter, NULL);
    for (int i = 0; i < CLERKS; i++)
        pthread_join(clerks[i].thread, NULL);
    pthread_join(audit, NULL);
    pthread_join(report, NULL);
    printf("%u entries, best %d, %u audits\n", journal_length(), stats.best_customer, stats.audits);
    return 0;
}
