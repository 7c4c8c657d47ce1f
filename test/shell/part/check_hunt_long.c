/* A race that needs another input, and more paths behind it than a hunt can take. */
#include <pthread.h>
#include <stdio.h>
#include <string.h>
static int x;
static unsigned state;
static void *other(void *p)
{
    x++;
    return p;
}
int main(int argc, char **argv)
{
    pthread_t t;
    if (argc != 2 || argv[1][0] != 'k')
        return 0;
    pthread_create(&t, NULL, other, NULL);
    x++;
    pthread_join(t, NULL);
    for (int c; (c = getchar()) != EOF;)
        state = c == 'a' ? state + 1 : c == 'b' ? state * 3 : c == 'c' ? state ^ 5 : state;
    printf("%u\n", state);
    return 0;
}
