// want: mutex-bad-read-lock
// A lock that is held for writing is taken for reading. Its release is no further error.
#include "annotated.h"

int lock;

int main(void)
{
    AnnotateRWLockCreate(__FILE__, __LINE__, &lock);
    ACQUIRED(&lock, 1);
    ACQUIRED(&lock, 0);
    RELEASED(&lock, 0);
    return 0;
}
