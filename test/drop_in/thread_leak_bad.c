// want: thread-leak suspicious
// text: And 2 more similar thread leaks.
// Three threads end and are neither joined nor detached.
#include "leaks.h"

int main(void)
{
    for (int i = 0; i < 3; i++)
        run_thread(NULL);
    return 0;
}
