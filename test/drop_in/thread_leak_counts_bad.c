// want: thread-leak
// options: report_thread_leaks=1
// The same; the user asks for thread leaks, so they count.
#include "leaks.h"

int main(void)
{
    for (int i = 0; i < 3; i++)
        run_thread(NULL);
    return 0;
}
