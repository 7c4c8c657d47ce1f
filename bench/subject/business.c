/*
 * Business server (SPECjbb in the paper): terminals of a company run orders, payments, deliveries
 * and reports on warehouses with stock, districts and customers. Each object has a lock.
 *
 * Anomalies: an order looks whether there is enough stock and takes it in two sections, so stock
 * can become negative; a district gives out order numbers in one section and counts open orders in
 * another, so a report can see them disagree; a payment reads and writes the balance in two
 * sections, so one of two payments is lost; the company's number of transactions is not protected.
 */
#include "../../include/photofinish.h"
#include "subject.h"

enum { WAREHOUSES = 2, DISTRICTS = 2, ITEMS = 3, CUSTOMERS = 3, TERMINALS = 3, ORDERS = 16 };

struct order {
    int customer, item, amount, delivered;
};
struct district {
    pthread_mutex_t lock, open_lock;
    struct order order[ORDERS];
    int next, open, delivered; /* next number; orders not delivered yet */
};
struct warehouse {
    pthread_mutex_t lock;
    int stock[ITEMS], sold[ITEMS], missed;
    struct district district[DISTRICTS];
};
struct customer {
    pthread_mutex_t lock;
    int balance, payments;
};

static struct warehouse warehouse[WAREHOUSES];
static struct customer customer[CUSTOMERS];
static pthread_mutex_t company_lock = PTHREAD_MUTEX_INITIALIZER;
static int transactions;
static const int price[ITEMS] = {3, 5, 8};

static void count_transaction(void)
{
    TWIN_LOCK(&company_lock);
    transactions++;
    TWIN_UNLOCK(&company_lock);
}

/* --- stock --- */

#ifndef TWIN
static int stock_of(struct warehouse *w, int item)
{
    LOCK(&w->lock);
    int n = w->stock[item];
    UNLOCK(&w->lock);
    return n;
}
#endif

/* Takes the amount from the stock; false if there is not enough. */
static int reserve(struct warehouse *w, int item, int amount)
{
#ifdef TWIN
    LOCK(&w->lock);
    int enough = w->stock[item] >= amount;
    if (enough) {
        w->stock[item] -= amount;
        w->sold[item] += amount;
    } else
        w->missed++;
    UNLOCK(&w->lock);
    return enough;
#else
    PF_ATOMIC_BEGIN();
    int enough = stock_of(w, item) >= amount;
    LOCK(&w->lock);
    if (enough) {
        w->stock[item] -= amount;
        w->sold[item] += amount;
        MUST(w->stock[item] >= 0);
    } else
        w->missed++;
    UNLOCK(&w->lock);
    PF_ATOMIC_END();
    return enough;
#endif
}

/* --- orders --- */

static void add_order(struct district *d, struct order o)
{
    PF_ATOMIC_BEGIN();
    LOCK(&d->lock);
    d->order[d->next++] = o;
#ifdef TWIN
    d->open++;
    UNLOCK(&d->lock);
#else
    UNLOCK(&d->lock);
    LOCK(&d->open_lock);
    d->open++;
    UNLOCK(&d->open_lock);
#endif
    PF_ATOMIC_END();
}

static void charge(struct customer *c, int amount)
{
    LOCK(&c->lock);
    c->balance += amount;
    UNLOCK(&c->lock);
}

static void new_order(int terminal, int round)
{
    struct warehouse *w = &warehouse[round % WAREHOUSES];
    struct order o = {.customer = terminal, .item = round % ITEMS, .amount = 2};
    if (reserve(w, o.item, o.amount)) {
        add_order(&w->district[terminal % DISTRICTS], o);
        charge(&customer[o.customer], o.amount * price[o.item]);
    }
    count_transaction();
}

static int deliver(struct district *d)
{
    int n = 0;
    PF_ATOMIC_BEGIN();
    LOCK(&d->lock);
    for (int i = 0; i < d->next && !n; i++)
        if (!d->order[i].delivered)
            n = d->order[i].delivered = 1;
    d->delivered += n;
#ifdef TWIN
    d->open -= n;
    UNLOCK(&d->lock);
#else
    UNLOCK(&d->lock);
    LOCK(&d->open_lock);
    d->open -= n;
    UNLOCK(&d->open_lock);
#endif
    PF_ATOMIC_END();
    return n;
}

static void deliver_all(int terminal)
{
    for (int i = 0; i < WAREHOUSES; i++)
        deliver(&warehouse[i].district[terminal % DISTRICTS]);
    count_transaction();
}

/* --- payments --- */

static void pay(int number, int amount)
{
    struct customer *c = &customer[number];
    PF_ATOMIC_BEGIN();
    LOCK(&c->lock);
    int balance = c->balance;
#ifndef TWIN
    UNLOCK(&c->lock);
    LOCK(&c->lock);
#endif
    c->balance = balance - amount;
    c->payments += amount;
    UNLOCK(&c->lock);
    PF_ATOMIC_END();
    count_transaction();
}

/* --- reports --- */

static void report(struct district *d)
{
    PF_ATOMIC_BEGIN();
    LOCK(&d->lock);
    int orders = d->next, delivered = d->delivered;
#ifndef TWIN
    UNLOCK(&d->lock);
    LOCK(&d->open_lock);
#endif
    int open = d->open;
#ifdef TWIN
    UNLOCK(&d->lock);
#else
    UNLOCK(&d->open_lock);
#endif
    PF_ATOMIC_END();
    MUST(open == orders - delivered);
}

static void *terminal(void *p)
{
    int number = (int)(long)p;
    for (int round = 0; round < 3; round++)
        new_order(number, round);
    pay((number + 1) % CUSTOMERS, 4);
    deliver_all(number);
    report(&warehouse[0].district[number % DISTRICTS]);
    return NULL;
}

int main(void)
{
    for (int i = 0; i < WAREHOUSES; i++) {
        pthread_mutex_init(&warehouse[i].lock, NULL);
        for (int k = 0; k < DISTRICTS; k++) {
            pthread_mutex_init(&warehouse[i].district[k].lock, NULL);
            pthread_mutex_init(&warehouse[i].district[k].open_lock, NULL);
        }
        for (int k = 0; k < ITEMS; k++)
            warehouse[i].stock[k] = 4; /* for two of three terminals */
    }
    for (int i = 0; i < CUSTOMERS; i++)
        pthread_mutex_init(&customer[i].lock, NULL);
    void *(*const body[])(void *) = {terminal, terminal, terminal};
    void *const number[] = {(void *)0, (void *)1, (void *)2};
    run_threads(body, number, TERMINALS);
    int charged = 0, sold = 0;
    for (int i = 0; i < CUSTOMERS; i++)
        charged += customer[i].balance + customer[i].payments;
    for (int i = 0; i < WAREHOUSES; i++)
        for (int k = 0; k < ITEMS; k++) {
            MUST(warehouse[i].stock[k] + warehouse[i].sold[k] == 4);
            sold += warehouse[i].sold[k] * price[k];
        }
    MUST(charged == sold);
    MUST(transactions == TERMINALS * 5);
    return 0;
}
