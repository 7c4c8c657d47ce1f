#include <semaphore.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
    sem_t *s = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    sem_init(s, 1, 0);
    pid_t child = fork();
    if (!child) {
        usleep(20000);
        sem_post(s);
        _exit(0);
    }
    sem_wait(s);
    puts("posted");
    return waitpid(child, 0, 0) != child;
}
