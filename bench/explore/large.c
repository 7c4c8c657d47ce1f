/* large.c - the subject of `bench/explore/run --cost`: two threads change a shared table, with a
 * lock for each part of it. A run has more than a million events. */
#include <pthread.h>
#include <stdio.h>

#define PARTS 64
#define CELLS 512
#define ROUNDS 10

static pthread_mutex_t lock[PARTS];
static unsigned table[PARTS][CELLS];

static void *work(void *arg)
{
    unsigned own = *(unsigned *)arg;
    for (int r = 0; r < ROUNDS; r++)
        for (int p = 0; p < PARTS; p++) {
            pthread_mutex_lock(&lock[p]);
            for (int c = 0; c < CELLS; c++)
                table[p][c] = table[p][c] * 3 + own;
            pthread_mutex_unlock(&lock[p]);
        }
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    unsigned number[2] = {1, 2}, sum = 0;
    for (int p = 0; p < PARTS; p++)
        pthread_mutex_init(&lock[p], NULL);
    for (int i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, work, &number[i]);
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    for (int p = 0; p < PARTS; p++)
        for (int c = 0; c < CELLS; c++)
            sum += table[p][c];
    printf("%u\n", sum);
}
