#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    void *p = malloc(1 << 20);
    printf("%p %p\n", p, (void *)&p);
    free(p);
    return 0;
}
