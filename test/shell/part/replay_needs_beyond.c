#include <stdlib.h>
int main(void)
{
    volatile char *p = malloc(10);
    p[12] = 1;
    return 0;
}
