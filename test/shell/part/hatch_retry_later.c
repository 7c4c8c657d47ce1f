#include "hidden.h"
static void store(int v) { x = v; }
static void *second(void *p)
{
    int seen = 0;
    if (peek())
        seen = x;
    return seen ? p : NULL;
}
int main(void)
{
    pthread_t t;
    hide(0);
    pthread_create(&t, NULL, second, NULL);
    hide(1);
    store(1);
    hide(0);
    store(2);
    hide(1);
    pthread_join(t, NULL);
    return 0;
}
