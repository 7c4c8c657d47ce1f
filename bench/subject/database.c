/*
 * Database (Derby in the paper): sessions insert, look up, change and delete rows of a table with
 * an index, through a cache of pages; changes are written to a log, which a checkpoint truncates.
 *
 * Anomalies: the test of a unique key and the insertion are two sections, so a key can be inserted
 * twice; a row and its index entry are written in two sections, so a query can find an entry
 * without a row; a page can be evicted from the cache between its lookup and its use; the position
 * of the log and the statistics are read without their locks.
 */
#include "../../include/photofinish.h"
#include "subject.h"

enum { ROWS = 16, PAGE = 4, PAGES = ROWS / PAGE, CACHE = 2, SESSIONS = 2, LOG = 64 };

struct row {
    int used, key, value;
};
struct frame {
    int page; /* -1: free */
    int pins;
    struct row row[PAGE];
};

static struct row disk[ROWS];

/* --- the log --- */

static pthread_mutex_t log_lock = PTHREAD_MUTEX_INITIALIZER;
static int log_at, log_begin, written;
static struct {
    int op, key, value;
} log_entry[LOG];

static void log_write(int op, int key, int value)
{
    LOCK(&log_lock);
    log_entry[log_at % LOG].op = op;
    log_entry[log_at % LOG].key = key;
    log_entry[log_at % LOG].value = value;
    log_at++;
    UNLOCK(&log_lock);
}

static void log_truncate(void)
{
    LOCK(&log_lock);
    log_begin = log_at;
    UNLOCK(&log_lock);
}

/* --- the page cache --- */

static pthread_mutex_t cache_lock = PTHREAD_MUTEX_INITIALIZER;
static struct frame cache[CACHE] = {{.page = -1}, {.page = -1}};
static int clock_hand, hits;

/* With the lock held: the frame of the page, which is read from disk if needed. */
static struct frame *load(int page)
{
    for (int i = 0; i < CACHE; i++)
        if (cache[i].page == page) {
            hits++;
            return &cache[i];
        }
    struct frame *f = &cache[clock_hand++ % CACHE];
    if (f->pins)
        f = &cache[clock_hand++ % CACHE];
    if (f->page >= 0)
        memcpy(&disk[f->page * PAGE], f->row, sizeof f->row);
    memcpy(f->row, &disk[page * PAGE], sizeof f->row);
    f->page = page;
    return f;
}

static struct row row_read(int number)
{
    LOCK(&cache_lock);
    struct row r = load(number / PAGE)->row[number % PAGE];
    UNLOCK(&cache_lock);
    return r;
}

/* Stores the row in its page. */
static void row_write(int number, struct row r)
{
#ifdef TWIN
    LOCK(&cache_lock);
    load(number / PAGE)->row[number % PAGE] = r;
    UNLOCK(&cache_lock);
#else
    PF_ATOMIC_BEGIN();
    LOCK(&cache_lock);
    struct frame *f = load(number / PAGE);
    UNLOCK(&cache_lock);
    LOCK(&cache_lock);
    MUST(f->page == number / PAGE); /* it is not pinned */
    f->row[number % PAGE] = r;
    UNLOCK(&cache_lock);
    PF_ATOMIC_END();
#endif
}

/* --- the index: rows by key --- */

static pthread_mutex_t index_lock = PTHREAD_MUTEX_INITIALIZER;
static struct {
    int key, row;
} entry[ROWS];
static int entries, rows;

/* With the lock held. */
static int find(int key)
{
    for (int i = 0; i < entries; i++)
        if (entry[i].key == key)
            return entry[i].row;
    return -1;
}

static int lookup(int key)
{
    LOCK(&index_lock);
    int row = find(key);
    UNLOCK(&index_lock);
    return row;
}

static void index_add(int key, int row)
{
    MUST(find(key) < 0); /* the key is unique */
    entry[entries].key = key;
    entry[entries++].row = row;
}

/* --- statements --- */

static pthread_mutex_t table_lock = PTHREAD_MUTEX_INITIALIZER,
                       count_lock = PTHREAD_MUTEX_INITIALIZER;
static int statements;

static void count_statement(void)
{
    TWIN_LOCK(&count_lock);
    statements++;
    TWIN_UNLOCK(&count_lock);
}

static void insert(int key, int value)
{
    count_statement();
    TWIN_LOCK(&table_lock);
    PF_ATOMIC_BEGIN();
    if (lookup(key) < 0) {
        LOCK(&index_lock);
        int row = rows++;
        index_add(key, row);
        UNLOCK(&index_lock);
        row_write(row, (struct row){1, key, value});
    }
    PF_ATOMIC_END();
    TWIN_UNLOCK(&table_lock);
    log_write('i', key, value);
}

static int query(int key)
{
    int value = 0;
    count_statement();
    TWIN_LOCK(&table_lock);
    PF_ATOMIC_BEGIN();
    int row = lookup(key);
    if (row >= 0) {
        struct row r = row_read(row);
        MUST(r.used && r.key == key); /* the index leads to its row */
        value = r.value;
    }
    PF_ATOMIC_END();
    TWIN_UNLOCK(&table_lock);
    return value;
}

static void update(int key, int add)
{
    count_statement();
    TWIN_LOCK(&table_lock);
    PF_ATOMIC_BEGIN();
    int row = lookup(key);
    if (row >= 0) {
        struct row r = row_read(row);
        r.value += add;
        row_write(row, r);
    }
    PF_ATOMIC_END();
    TWIN_UNLOCK(&table_lock);
    log_write('u', key, add);
}

static void *session(void *p)
{
    int n = (int)(long)p;
    for (int i = 0; i < 3; i++)
        insert(10 * n + i, i);
    insert(99, 0); /* both sessions; one of them finds it */
    update(99, 1);
    query(10 * (1 - n));
    return NULL;
}

static void *checkpoint(void *p)
{
    for (int i = 0; i < 2; i++) {
        TWIN_LOCK(&log_lock);
        int waiting = log_at - log_begin;
        TWIN_UNLOCK(&log_lock);
        if (waiting > 2)
            log_truncate();
        written += waiting > 2;
    }
    return p;
}

int main(void)
{
    void *(*const body[])(void *) = {session, session, checkpoint};
    void *const number[] = {(void *)0, (void *)1, NULL};
    run_threads(body, number, SESSIONS + 1);
    MUST(entries == 7 && rows == 7);
    MUST(query(99) == 2);
    MUST(statements == 13);
    return 0;
}
