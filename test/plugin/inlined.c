// Inlined code has sites of the inlined function, with the calls that it was inlined at.
// levels: O2
// want: write 4 one inlined.c:11 set < [mid:12] < [top:13] < main:16
// want: write 4 one inlined.c:11 set < [mid:12] < [top:14] < main:16
#include <stdio.h>

struct s { int level, other; } *obj;
struct s one;
int dummy;

static inline __attribute__((always_inline)) void set(struct s *p, int n) { p->level = n; puts("x"); }
static inline __attribute__((always_inline)) void mid(struct s *p, int n) { set(p, n + 1); }
__attribute__((noinline)) static void top(struct s *p) { mid(p, 3);
    mid(p, 7); }
int main(void)
{   obj = &one; top(obj);
    return printf("%d\n", one.level) < 0;
}
