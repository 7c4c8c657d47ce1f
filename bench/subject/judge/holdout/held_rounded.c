// A sum of small numbers that is printed without its fraction.
// race: sum work work k-witness-harmless: an addition is lost, but the printed digits are the same
#include <pthread.h>
#include <stdio.h>

static volatile double sum = 100;

static void *work(void *unused)
{
    sum = sum + 0.001;
    return unused;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, NULL);
    pthread_create(&b, NULL, work, NULL);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%.0f\n", sum);
    return 0;
}
