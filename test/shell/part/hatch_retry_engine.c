#include "hidden.h"
static void *first(void *p)
{
    PF_ATOMIC_BEGIN();
    int seen = x;
    x = seen + 1;
    PF_ATOMIC_END();
    turn();
    return p;
}
static void *other(void *p)
{
    turn();
    own = 1;
    return p;
}
static void *second(void *p)
{
    if (peek())
        x = 5;
    return p;
}
int main(void)
{
    void *(*const body[])(void *) = {first, other, second};
    pthread_t t[3];
    for (int i = 0; i < 3; i++)
        pthread_create(&t[i], NULL, body[i], NULL);
    for (int i = 0; i < 3; i++)
        pthread_join(t[i], NULL);
    return 0;
}
