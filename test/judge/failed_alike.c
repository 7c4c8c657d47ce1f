// Both orders fail at the same place.
// judge: last undecided
// reason: last the program fails in the same way in both orders
#include "failures.h"

int main(void)
{
    write_both();
    abort();
}
