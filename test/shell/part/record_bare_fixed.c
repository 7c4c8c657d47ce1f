#include <stdio.h>
#include <stdlib.h>
#include <string.h>
static void *(*volatile get)(size_t);
int main(void)
{
    get = malloc;
    size_t sum = 0;
    for (size_t i = 0; i < 6000; i++) {
        char *p = get(8 + i % 90);
        memset(p, 'a', 7 + i % 90);
        p[7 + i % 90] = 0;
        sum += strlen(p);
        free(p);
    }
    printf("%zu\n", sum);
    return 0;
}
