// Statistics of a server that are counted without a lock.
// race: requests serve serve output-differs: an increment is lost; the number is printed
// race: traffic serve serve k-witness-harmless: an addition is lost, but the number is never used
// race: peak serve serve output-differs: a smaller value overwrites the maximum, which is printed
// race: failures serve serve k-witness-harmless: an increment is lost, but only "some" is printed
#include <pthread.h>
#include <stdio.h>

static volatile int requests, traffic, peak, failures;

static void *serve(void *size)
{
    int n = (int)(long)size;
    requests = requests + 1;
    traffic = traffic + n;
    if (n > peak)
        peak = n;
    failures = failures + 1;
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, serve, (void *)300);
    pthread_create(&b, NULL, serve, (void *)700);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d requests, largest %d, %s failures\n", requests, peak, failures ? "some" : "no");
    return 0;
}
