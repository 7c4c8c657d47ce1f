#include <stdio.h>
#include <stdlib.h>
int main(void)
{
    int s = system("echo from the child");
    printf("done %d\n", s);
    return 0;
}
