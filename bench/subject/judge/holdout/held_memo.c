// A remembered result: both threads may compute it, and both compute the same.
// race: value lookup lookup k-witness-harmless: the same value is written by everybody
// race: valid lookup lookup k-witness-harmless: at worst the value is computed twice
#include <pthread.h>
#include <stdio.h>

static volatile int value, valid;
static int answer[2];

static int compute(int n)
{
    int sum = 0;
    for (int i = 1; i <= n; i++)
        sum += i * i;
    return sum;
}

static int lookup(void)
{
    if (!valid) {
        value = compute(12);
        valid = 1;
    }
    return value;
}

static void *work(void *to)
{
    *(int *)to = lookup() + lookup();
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    pthread_create(&a, NULL, work, &answer[0]);
    pthread_create(&b, NULL, work, &answer[1]);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d %d\n", answer[0], answer[1]);
    return 0;
}
