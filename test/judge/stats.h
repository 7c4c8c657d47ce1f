/* stats.h - the program of Figure 6: a request handler counts, another thread stores statistics. */
#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#define MAX_SIZE 32

volatile int id = MAX_SIZE - 1;
int stats_array[MAX_SIZE];
int hash_table[2 * MAX_SIZE];
static bool use_hash_table;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

static void *request_handler(void *unused)
{
    (void)unused;
    pthread_mutex_lock(&lock);
    id++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

static void update_hash_table(void)
{
    int now = id;
    hash_table[now] = 1;
}

static void update_array(void)
{
    if (id < MAX_SIZE)
        stats_array[id] = 1;
}

static void *update_stats(void *unused)
{
    (void)unused;
    if (use_hash_table)
        update_hash_table();
    else
        update_array();
    return NULL;
}

int main(int argc, char **argv)
{
    pthread_t t[2];
    use_hash_table = argc < 2 || strcmp(argv[1], "-no-hash-table");
    pthread_create(&t[0], NULL, update_stats, NULL);
    pthread_create(&t[1], NULL, request_handler, NULL);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    puts("done");
    return 0;
}
