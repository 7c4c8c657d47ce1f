#include <pthread.h>
#include <stdlib.h>
static int a, b, c, table[500];
static void *reader(void *p)
{
    int sum = a;
    sum += b;
    if (sum == 1)
        abort();
    sum += c;
    return sum ? p : NULL;
}
int main(void)
{
    pthread_t t;
    for (int i = 0; i < 500; i++)
        table[i] = i;
    pthread_create(&t, NULL, reader, table);
    a = 1;
    b = 1;
    c = 1;
    pthread_join(t, NULL);
    return 0;
}
