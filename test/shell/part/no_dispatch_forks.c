#include <stdio.h>
#include <sys/wait.h>
#include <unistd.h>
int main(void)
{
    int p[2], s = 0;
    char b[4] = {0};
    if (pipe(p))
        return 1;
    pid_t k = fork();
    if (!k) {
        if (write(p[1], "ok", 2) != 2)
            _exit(1);
        _exit(3);
    }
    if (read(p[0], b, 2) != 2 || waitpid(k, &s, 0) != k)
        return 2;
    printf("%s %d\n", b, WEXITSTATUS(s));
    return 0;
}
