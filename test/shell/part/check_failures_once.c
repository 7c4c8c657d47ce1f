#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>
int main(void)
{
    if (!access("started", F_OK)) /* the second start is the free run */
        abort();
    return close(open("started", O_WRONLY | O_CREAT, 0666));
}
