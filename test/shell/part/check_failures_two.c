/* Fails in f or in g, as its argument says. */
#include <stdlib.h>

__attribute__((noinline)) static void f(void) { abort(); }
__attribute__((noinline)) static void g(void) { abort(); }
static int *volatile nowhere;

int main(int argc, char **argv)
{
    if (argc > 1 && argv[1][0] == 'f')
        f();
    if (argc > 1 && argv[1][0] == 'g')
        g();
    return *nowhere;
}
