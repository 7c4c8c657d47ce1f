// Micro program AVV: two threads write different values, and every value is valid.
// judge: timeout k-witness-harmless
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
    puts(timeout == 10 || timeout == 20 ? "valid" : "invalid");
    return 0;
}
