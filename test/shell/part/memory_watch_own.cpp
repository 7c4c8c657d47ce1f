#include <cstdio>
#include <cstring>
#include <cstdlib>
alignas(16) static char arena[1 << 20];
static size_t used;
extern "C" void *malloc(size_t n) { void *p = arena + used; used += (n + 15) & -16ul; return p; }
extern "C" void free(void *) {}
extern "C" void *calloc(size_t n, size_t m) { return malloc(n * m); }
extern "C" void *realloc(void *p, size_t n) { void *q = malloc(n); if (p) memcpy(q, p, n); return q; }
int main(int argc, char **)
{
    char *a = new char[16], *b = new char[16];
    memset(b, argc, 16);
    memset(a, argc + 1, 16);
    printf("%d\n", memcmp(a, b, 16) > 0);
    delete[] a;
    delete[] b;
}
