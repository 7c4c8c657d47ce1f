// A label that other code can see: the function is not instrumented, and the compiler warns.
// warns: warning: pf cc does not check where
// want: write 4 counter escaped_label.c
#include <stdio.h>

int counter;
void *seen;
__attribute__((noinline)) static int where(int n)
{
    seen = &&here;
    if (n > 1)
        goto *seen;
    n += 5;
here:
    return n;
}

int main(int argc, char **argv)
{
    counter++;
    printf("%d %d\n", where(argc), seen != 0);
    return 0;
}
