#include "lib.h"
int counter;
static int hidden;
void bump(void)
{
    counter++;
    hidden++;
}
