#include "photofinish.h"
#include <pthread.h>
int x, y, z;
static void *writer(void *p)
{
    PF_ATOMIC_BEGIN();
    x = 1;
    x = 2;
    x = 3;
    y = 4;
    y = 5;
    x = 6;
    x = 7;
    PF_ATOMIC_END();
    return p;
}
static void *third(void *p)
{
    z = 1;
    return p;
}
int main(void)
{
    pthread_t t, u;
    int s[8];
    pthread_create(&t, NULL, writer, NULL);
    pthread_create(&u, NULL, third, NULL);
    PF_ATOMIC_BEGIN();
    s[0] = x;
    s[1] = x;
    s[2] = x;
    s[3] = y;
    s[4] = y;
    s[5] = x;
    s[6] = x;
    s[7] = z;
    PF_ATOMIC_END();
    pthread_join(t, NULL);
    pthread_join(u, NULL);
    return s[0] == 1 && s[1] == 2 && s[2] == 3 && s[3] == 4 && s[4] == 5 && s[5] == 6 && s[6] == 7 && s[7] == 1 ? 9 : 0;
}
