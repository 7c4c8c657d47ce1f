// The program defines malloc, but not calloc and free.
// want: none
#include <stdlib.h>
#include <string.h>

extern void *__libc_malloc(size_t size);
void *malloc(size_t size) { return __libc_malloc(size); }

int main(void)
{
    for (int i = 0; i < 20; i++) {
        char *volatile a = calloc(1, 100);
        a[3] = 1;
        free(a);
        char *volatile b = malloc(100);
        memset(b, 1, 100);
        b[3]++;
        free(b);
    }
    return 0;
}
