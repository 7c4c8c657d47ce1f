// A cache with statistics, a clock and worker threads (after memcached of the paper and the races
// in docs/real-programs.md).
// race: settings_0 start work single-ordering: workers poll `started` first
// race: settings_1 start work single-ordering: as settings_0
// race: slots start work single-ordering: as settings_0
// race: growth start work single-ordering: as settings_0
// race: chunk start work single-ordering: as settings_0
// race: item_max start work single-ordering: as settings_0
// race: hash_power start work single-ordering: as settings_0
// race: verbose start work single-ordering: as settings_0
// race: started start work k-witness-harmless: the flag of ad hoc synchronisation
// race: current_time tick work output-differs: the worker stores the time of the item, which is
//     printed
// race: current_items link_item tick k-witness-harmless: only decides whether a table may grow,
//     which it never does here
// race: hits work work output-differs: an increment is lost; the number is printed by the
//     statistics
// race: last_error work work k-witness-harmless: the same number is written by every worker
// race: expanding tick link_item k-witness-harmless: the clock writes 0, which it is already
#include <pthread.h>
#include <stdio.h>

static volatile int settings_0, settings_1, slots, growth, chunk, item_max, hash_power, verbose,
    started;
static volatile int current_time = 1, current_items, hits, last_error, expanding;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int sum, stored;

static void start(void)
{
    settings_0 = 64;
    settings_1 = 1024;
    slots = 4;
    growth = 2;
    chunk = 48;
    item_max = 1 << 20;
    hash_power = 16;
    verbose = 1;
    started = 1;
}

static void link_item(void)
{
    pthread_mutex_lock(&lock);
    current_items = current_items + 1;
    if (expanding)
        sum = 0;
    pthread_mutex_unlock(&lock);
}

static void tick(void)
{
    current_time = current_time + 1;
    if (current_items > 1000)
        expanding = 1;
    else
        expanding = 0;
}

static void work(void)
{
    while (!started)
        ;
    int all = settings_0 + settings_1 + slots + growth + chunk + item_max + hash_power + verbose;
    int now = current_time;
    hits = hits + 1;
    last_error = 5;
    link_item();
    pthread_mutex_lock(&lock);
    sum += all;
    stored = now > stored ? now : stored;
    pthread_mutex_unlock(&lock);
}

static void *worker(void *unused)
{
    (void)unused;
    work();
    return NULL;
}

static void *clock_thread(void *unused)
{
    (void)unused;
    tick();
    return NULL;
}

static void *starter(void *unused)
{
    (void)unused;
    start();
    return NULL;
}

int main(void)
{
    static void *(*const body[])(void *) = {starter, worker, worker, clock_thread};
    pthread_t t[4];
    for (int i = 0; i < 4; i++)
        pthread_create(&t[i], NULL, body[i], NULL);
    for (int i = 0; i < 4; i++)
        pthread_join(t[i], NULL);
    printf("%d %d %d\n", sum, hits, stored);
    return 0;
}
