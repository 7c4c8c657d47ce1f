#include <sys/wait.h>
#include <unistd.h>
volatile int x;
int main(void)
{
    pid_t child = fork();
    for (int i = 0; i < 1000; i++)
        x++;
    if (!child)
        _exit(0);
    return waitpid(child, 0, 0) != child;
}
