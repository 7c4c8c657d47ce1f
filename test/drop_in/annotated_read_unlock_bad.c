// want: mutex-bad-read-unlock
// A lock that is held for writing is released as if it were held for reading.
#include "annotated.h"

int lock;

int main(void)
{
    AnnotateRWLockCreate(__FILE__, __LINE__, &lock);
    ACQUIRED(&lock, 1);
    RELEASED(&lock, 0);
    return 0;
}
