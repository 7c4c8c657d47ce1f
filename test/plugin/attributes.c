// no_sanitize("thread"): no checks of plain accesses, but atomics and frames.
// disable_sanitizer_instrumentation and the ignore list: not instrumented.
// flags: -fpf-ignore=HERE/attributes.ignore
// count: 2 write 4 counter
// want: write 4 counter attributes.c:32 checked < no_checks:14 < main
// want: write 4 counter attributes.c:13 small
// want: atomic 4 a attributes.c:15 no_checks < main
// never: untouched
// never: listed
#include <stdatomic.h>
#include <stdio.h>
int counter; _Atomic int a;
void checked(void); static void small(void) { counter++; }
__attribute__((no_sanitize("thread"), noinline)) void no_checks(void) { counter++; checked();
    a++; }
__attribute__((disable_sanitizer_instrumentation, noinline)) void untouched(void) { counter++; a++; }
__attribute__((noinline)) void listed_one(void) { counter++; a++; }
static void listed_small(void) { counter++; a++; small(); } /* not inlined, and inlines nothing */
int main(void)
{
    no_checks();
    untouched();
    listed_one();
    listed_small();
    printf("%d\n", a);
    return 0;
}

__attribute__((noinline)) void checked(void)
{
    /* the only one that is checked */
    counter++;
}
