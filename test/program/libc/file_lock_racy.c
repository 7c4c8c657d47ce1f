// Different files are different locks, and F_SETLK's locks belong to the process: they do not
// exclude threads.
// want: race apart at FIRST SECOND
// want: race together at BEFORE AFTER
#include "turns.h"
#include <fcntl.h>
#include <stdio.h>
#include <sys/file.h>
#include <unistd.h>

int apart, together;
static FILE *one, *two;
void before(void)
{
    one = tmpfile();
    two = tmpfile();
}
void first(void)
{
    flock(fileno(one), LOCK_EX);
    apart = 1; /* FIRST */
    flock(fileno(one), LOCK_UN);
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    fcntl(fileno(one), F_SETLK, &lock);
    together = 1; /* BEFORE */
    lock.l_type = F_UNLCK;
    fcntl(fileno(one), F_SETLK, &lock);
}
void second(void)
{
    flock(fileno(two), LOCK_EX);
    apart = 2; /* SECOND */
    flock(fileno(two), LOCK_UN);
    struct flock lock = {.l_type = F_WRLCK, .l_whence = SEEK_SET};
    fcntl(fileno(one), F_SETLK, &lock);
    together = 2; /* AFTER */
}
