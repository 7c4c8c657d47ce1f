// A label that others can see: the function stays as it is, and the compiler says so.
// warns: warning: pf cc does not check where
// want: write 4 counter labels_out.c
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
