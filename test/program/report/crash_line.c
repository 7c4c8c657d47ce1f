// The report of a crash in a free run names its line: of a store after a call, of a division, and
// of a load in a function that may be inlined.
// case: run -- store
// exit: 139
// err: crash_line.c:23
// case: run -- divide
// exit: 136
// err: crash_line.c:25
// case: run -- inline
// exit: 139
// err: crash_line.c:31
#include <string.h>
static int *volatile nothing;
static volatile int zero;
static int x;

__attribute__((noinline)) static int add(int n) { return x += n; }
__attribute__((noinline)) static int leaf(const char *how)
{
    int *p = nothing;
    x++;
    if (!strcmp(how, "store"))
        *p = add(1);
    if (!strcmp(how, "divide"))
        return x / zero;
    return x;
}
static inline int element(int i)
{
    int *p = nothing;
    return p[i];
}
int main(int argc, char **argv)
{
    (void)argc;
    x = leaf(argv[1]);
    return element(1);
}
