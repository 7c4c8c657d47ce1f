#include "hidden.h"
static void *other(void *p)
{
    own = 1;
    return p;
}
static void *second(void *p)
{
    int seen = 0;
    if (!peek())
        seen = x;
    return seen ? p : NULL;
}
int main(void)
{
    pthread_t t, u;
    pthread_create(&t, NULL, second, NULL);
    x = 1;
    pthread_create(&u, NULL, other, NULL);
    pthread_join(u, NULL);
    hide(0);
    pthread_join(t, NULL);
    return 0;
}
