#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
static unsigned long big[20000], last, count;
static pthread_mutex_t m = PTHREAD_MUTEX_INITIALIZER;
__attribute__((noinline)) static void add(int n, ...)
{
    va_list ap;
    va_start(ap, n);
    for (int i = 0; i < n; i++)
        count += va_arg(ap, unsigned long);
    va_end(ap);
}
static void *f(void *arg)
{
    unsigned long k = (unsigned long)arg;
    pthread_mutex_lock(&m);
    big[9000 * k] = -k;
    last = -6;
    for (unsigned long i = 0; i < 3; i++)
        add(9, i, i, i, i, i, i, i, i, i + k);
    pthread_mutex_unlock(&m);
    return NULL;
}
int main(void)
{
    pthread_t t[2];
    for (unsigned long i = 0; i < 2; i++)
        pthread_create(&t[i], NULL, f, (void *)(i + 1));
    for (int i = 0; i < 2; i++)
        pthread_join(t[i], NULL);
    printf("%lu %lu %lu\n", big[9000], big[18000], count);
    return 0;
}
