/* One round of masscan's own test of its ring buffer: a producer and a consumer thread pass 1,000
 * numbers through 16 slots. Prints their sum. The test is included before. */
#include <stdio.h>

int main(void)
{
    struct Test test;
    printf("%llu\n", (unsigned long long)run_test(&test));
    return 0;
}
