// A stack slot whose address escapes is checked, with the name of the variable.
// want: write 4 shared escaped_address.c
// want: read 4 shared escaped_address.c
#include <stdio.h>

int *volatile where;
__attribute__((noinline)) static void give(int *p) { where = p; }

int main(void)
{
    int shared;
    give(&shared);
    shared = 3;
    give(&shared);
    printf("%d\n", shared + *where);
    return 0;
}
