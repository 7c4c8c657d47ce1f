// no_sanitize("thread"): no plain checks, but atomics and frames. disable_sanitizer_instrumentation
// and the ignore list: untouched.
// flags: -fpf-ignore=HERE/attributes.ignore
// count: 1 write 4 counter
// want: write 4 counter attributes.c:29 checked < no_checks:13 < main
// want: atomic 4 a attributes.c:14 no_checks < main
// never: untouched
// never: listed
#include <stdatomic.h>
#include <stdio.h>
int counter; _Atomic int a;
void checked(void);
__attribute__((no_sanitize("thread"), noinline)) void no_checks(void) { counter++; checked();
    a++; }
__attribute__((disable_sanitizer_instrumentation, noinline)) void untouched(void) { counter++; a++; }
__attribute__((noinline)) void listed_one(void) { counter++; a++; }
int main(void)
{
    no_checks();
    untouched();
    listed_one();
    printf("%d\n", a);
    return 0;
}

__attribute__((noinline)) void checked(void)
{
    /* the one that counts */
    counter++;
}
