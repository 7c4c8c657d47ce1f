// Each order violates a requirement of its own; the names of the variables differ in a digit.
// judge: last spec-violated
// reason: last requirement violated: lost
// options: --require 'lost1 == 0;lost2 == 0'
#include "failures.h"

int lost1, lost2;

int main(void)
{
    write_both();
    if (last == 1)
        lost1 = 1;
    else
        lost2 = 1;
    return 0;
}
