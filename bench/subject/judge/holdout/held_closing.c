// A log is closed while another thread writes to it.
// race: closing close_log write_log spec-violated: the flag is tested, and then the block is freed
//     before it is used
// race: heap close_log write_log spec-violated: the freed block is written
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>

static volatile int closing;
static char *block;

static void close_log(void)
{
    closing = 1;
    free(block);
}

static void write_log(void)
{
    if (!closing)
        block[0] = 'x';
}

static void *work(void *unused)
{
    write_log();
    return unused;
}

int main(void)
{
    pthread_t a;
    block = malloc(200);
    pthread_create(&a, NULL, work, NULL);
    close_log();
    pthread_join(a, NULL);
    puts("closed");
    return 0;
}
