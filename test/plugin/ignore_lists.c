// -fsanitize-ignorelist means what it means for ThreadSanitizer: listed functions have no checks of
// plain accesses, but atomics and frames. Several lists add up; only the sections of this sanitizer
// count.
// flags: -fsanitize-ignorelist=HERE/ignore_lists.thread
// flags: -fsanitize-blacklist=HERE/ignore_lists.general
// count: 2 write 4 counter
// want: write 4 counter ignore_lists.c:21 checked < listed:16 < main
// want: write 4 counter ignore_lists.c:18 other_section < main
// want: atomic 4 a ignore_lists.c:16 listed < main
// no event: write 4 counter ignore_lists.c:15
// no event: write 4 counter ignore_lists.c:17
#include <stdatomic.h>
#include <stdio.h>
int counter; _Atomic int a; void checked(void);
__attribute__((noinline)) void listed(void) { counter++;
    checked(); a++; }
static void in_second_list(void) { counter++; }
__attribute__((noinline)) void other_section(void) { counter++; }
__attribute__((no_sanitize_thread, noinline)) void by_attribute(void) { counter++; }
int main(void) { listed(); in_second_list(); other_section(); by_attribute(); printf("%d\n", a); }
__attribute__((noinline)) void checked(void) { counter++; }
