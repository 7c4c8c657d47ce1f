// Twin of all_values_valid: the program stops if it sees the first value.
// judge: timeout spec-violated
#include <assert.h>
#include <pthread.h>
#include <stdio.h>

int timeout;

static void *configure(void *value)
{
    timeout = (int)(long)value;
    return NULL;
}

int main(void)
{
    pthread_t t[2];
    for (long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, configure, (void *)(10 * (i + 1)));
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    assert(timeout != 10);
    puts("valid");
    return 0;
}
