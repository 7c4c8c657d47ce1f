/* A block is freed twice. The C library ends the program there if it runs freely. */
#include <pthread.h>
#include <stdlib.h>
static char *volatile block;
static void *work(void *p)
{
    block = malloc(8);
    free(block);
    free(block);
    return p;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, work, NULL);
    return pthread_join(t, NULL);
}
