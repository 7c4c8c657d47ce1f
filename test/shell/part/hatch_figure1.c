// Two shared variables; it fails only if the second thread runs between the two reads.
#include <pthread.h>
#include <stdlib.h>
int x, y;
static void *second(void *p)
{
    int seen = x;
    if (x == 1)
        y = 1;
    return seen ? p : NULL;
}
int main(void)
{
    pthread_t t;
    pthread_create(&t, NULL, second, NULL);
    x = 1;
    if (y == 1)
        abort();
    pthread_join(t, NULL);
    return 0;
}
