#include <stdlib.h>
#include <unistd.h>
int main(void)
{
    if (!access("first", F_OK) && !unlink("first"))
        abort();
    return 0;
}
