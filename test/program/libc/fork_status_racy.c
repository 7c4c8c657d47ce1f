// A child has its own status, whatever its parent found.
// want: race shared at A B
// stdout: 3 4 0
#include "turns.h"
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int shared;
void first(void) { shared = 1; /* A */ }
void second(void) { shared = 2; /* B */ }
int after(void)
{
    int status;
    if (fork() == 0)
        _exit(3);
    wait(&status);
    printf("%d ", WEXITSTATUS(status));
    fflush(stdout);
    if (fork() == 0)
        exit(4);
    wait(&status);
    printf("%d ", WEXITSTATUS(status));
    status = system("true");
    printf("%d\n", status);
    return 0;
}
