// A program's own allocator is used.
// tsan: it cannot run a program with its own allocator
// want: none
// flags: -fno-builtin
// stdout: 3 1
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static char pool[1 << 20] __attribute__((aligned(16)));
static size_t used;
static int mallocs, frees;

void *malloc(size_t n)
{
    void *p = pool + used;
    used += (n + 15) & ~(size_t)15;
    mallocs++;
    return p;
}
void free(void *p) { frees += p != NULL; }
void *calloc(size_t n, size_t each) { return memset(malloc(n * each), 0, n * each); }
void *realloc(void *p, size_t n) { return p ? memmove(malloc(n), p, n) : malloc(n); }

int main(void)
{
    int m = mallocs, f = frees;
    char *volatile a = malloc(10), *volatile b = strdup("abc"), *volatile c = calloc(1, 10);
    free(b);
    m = mallocs - m;
    f = frees - f;
    printf("%d %d\n", m, f);
    return a == c;
}
