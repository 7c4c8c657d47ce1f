// want: none
// Readers and writers of a lock that the program implements itself.
#include "annotated.h"

int lock;

int main(void)
{
    AnnotateRWLockCreate(__FILE__, __LINE__, &lock);
    for (int i = 0; i < 2; i++) {
        ACQUIRED(&lock, 1);
        RELEASED(&lock, 1);
        ACQUIRED(&lock, 0);
        RELEASED(&lock, 0);
    }
    AnnotateRWLockDestroy(__FILE__, __LINE__, &lock);
    return 0;
}
