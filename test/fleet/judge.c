/* Twenty races: two threads write twenty variables without order. The first ten decide what is
 * printed. */
#include <pthread.h>
#include <stdio.h>

#define EACH(X)                                                                                    \
    X(0)                                                                                           \
    X(1)                                                                                           \
    X(2)                                                                                           \
    X(3)                                                                                           \
    X(4)                                                                                           \
    X(5)                                                                                           \
    X(6)                                                                                           \
    X(7)                                                                                           \
    X(8)                                                                                           \
    X(9)                                                                                           \
    X(10)                                                                                          \
    X(11)                                                                                          \
    X(12)                                                                                          \
    X(13)                                                                                          \
    X(14)                                                                                          \
    X(15)                                                                                          \
    X(16)                                                                                          \
    X(17)                                                                                          \
    X(18)                                                                                          \
    X(19)
#define VARIABLE(n) static int v##n;
EACH(VARIABLE)
#define SET(n)                                                                                     \
    static __attribute__((noinline)) void set##n(int value) { v##n = value; }
EACH(SET)

static void *work(void *arg)
{
    int value = *(int *)arg;
#define CALL(n) set##n(value);
    EACH(CALL)
    return NULL;
}

int main(void)
{
    pthread_t a, b;
    int one = 1, two = 2;
    pthread_create(&a, NULL, work, &one);
    pthread_create(&b, NULL, work, &two);
    pthread_join(a, NULL);
    pthread_join(b, NULL);
    printf("%d\n", v0 + v1 + v2 + v3 + v4 + v5 + v6 + v7 + v8 + v9);
    return v10 + v11 + v12 + v13 + v14 + v15 + v16 + v17 + v18 + v19 < 0;
}
