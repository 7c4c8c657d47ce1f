// want: double-free
// options: quarantine_size_mb=1
// tsan: does not know the option
// text: kept
// A freed block is given to realloc. The program can use the result, also after the quarantine has
// released its blocks.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *block;

static void *user(void *arg)
{
    free(block);
    return arg;
}

int main(void)
{
    pthread_t t;
    block = malloc(100);
    strcpy(block, "kept");
    pthread_create(&t, NULL, user, NULL);
    pthread_join(t, NULL);
    block = realloc(block, 20000);
    fprintf(stderr, "%s\n", block);
    memset(block, 1, 20000);
    for (int i = 0; i < 1000; i++) /* more than the quarantine keeps */
        free(malloc(5000));
    free(block);
    return 0;
}
