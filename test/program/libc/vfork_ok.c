// vfork and posix_spawn, exec with another environment: the children run as usual.
// direct: the output of a child process is in a recording of its own
// want: none
// stdout: one
// stdout: two
// stdout: three
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

int main(void)
{
    int status;
    char *env[] = {"WORD=one", NULL};
    char *argv[] = {"sh", "-c", "echo $WORD", NULL};
    pid_t child = vfork();
    if (child == 0) {
        execve("/bin/sh", argv, env);
        _exit(1);
    }
    waitpid(child, &status, 0);
    env[0] = "WORD=two";
    if (posix_spawn(&child, "/bin/sh", NULL, NULL, argv, env))
        return 1;
    waitpid(child, &status, 0);
    child = fork();
    if (child == 0) {
        setenv("WORD", "three", 1);
        execlp("sh", "sh", "-c", "echo $WORD", (char *)NULL);
        _exit(1);
    }
    waitpid(child, &status, 0);
    return WEXITSTATUS(status);
}
