// A parallel compressor (after pbzip2 of the paper): a producer splits the input, workers
// compress, a writer writes the blocks. Threads wait for each other by polling flags.
// race: block_0 produce compress single-ordering: the worker polls `filled` first
// race: block_1 produce compress single-ordering: as block_0
// race: size_0 produce compress single-ordering: as block_0
// race: size_1 produce compress single-ordering: as block_0
// race: checksum produce compress single-ordering: as block_0
// race: method produce compress single-ordering: as block_0
// race: filled produce compress k-witness-harmless: the flag of ad hoc synchronisation
// race: out_0 compress put single-ordering: the writer polls `ready` first
// race: out_1 compress put single-ordering: as out_0
// race: length_0 compress put single-ordering: as out_0
// race: length_1 compress put single-ordering: as out_0
// race: crc compress put single-ordering: as out_0
// race: ready compress put k-witness-harmless: the flag of ad hoc synchronisation
// race: percent compress show output-differs: the progress is printed in the middle of the work
// race: ratio compress show output-differs: as percent
// race: speed compress show output-differs: as percent
// race: queue clean_up late_use spec-violated: the queue is freed and set to NULL while another
//     thread still tests and uses it
// race: heap clean_up late_use spec-violated: the freed block is read
// race: notes clean_up late_use spec-violated: the pointer is cleared between its test and its use
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static volatile int block_0, block_1, size_0, size_1, checksum, method, filled;
static volatile int out_0, out_1, length_0, length_1, crc, ready;
static volatile int percent, ratio, speed;
static int *volatile queue;
static const char *volatile notes = "notes";

static void produce(void)
{
    block_0 = 11;
    block_1 = 12;
    size_0 = 100;
    size_1 = 200;
    checksum = 77;
    method = 2;
    filled = 1;
}

static void compress(void)
{
    while (!filled)
        ;
    out_0 = block_0 * method;
    out_1 = block_1 * method;
    length_0 = size_0 / 2;
    length_1 = size_1 / 2;
    crc = checksum + 1;
    percent = 50;
    ratio = 3;
    speed = 9;
    ready = 1;
}

static void put(void)
{
    while (!ready)
        ;
    printf("%d %d %d %d %d\n", out_0, out_1, length_0, length_1, crc);
}

static void show(void)
{
    int now[] = {percent, ratio, speed};
    fprintf(stderr, "%d%% %d %d\n", now[0], now[1], now[2]);
}

static void clean_up(void)
{
    free(queue);
    queue = NULL;
    notes = NULL;
}

static int late_use(void)
{
    int sum = 0;
    if (queue)
        sum = queue[0];
    if (notes)
        sum += notes[0];
    return sum;
}

static void *producer(void *unused)
{
    (void)unused;
    produce();
    return NULL;
}

static void *worker(void *unused)
{
    (void)unused;
    compress();
    return NULL;
}

static void *writer(void *unused)
{
    (void)unused;
    put();
    return NULL;
}

static void *display(void *unused)
{
    (void)unused;
    show();
    return NULL;
}

static void *user(void *unused)
{
    (void)unused;
    return (void *)(long)late_use();
}

static void *cleaner(void *unused)
{
    (void)unused;
    clean_up();
    return NULL;
}

int main(void)
{
    static void *(*const body[])(void *) = {user, display, cleaner, producer, worker, writer};
    pthread_t t[6];
    queue = calloc(4, sizeof *queue);
    for (int i = 0; i < 6; i++)
        pthread_create(&t[i], NULL, body[i], NULL);
    for (int i = 0; i < 6; i++)
        pthread_join(t[i], NULL);
    return 0;
}
