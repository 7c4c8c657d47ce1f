#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
    int *p = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (!fork()) {
        *p = 42;
        _exit(0);
    }
    wait(0);
    printf("%d\n", *p);
    return 0;
}
