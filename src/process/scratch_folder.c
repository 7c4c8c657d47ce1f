/* scratch_folder.c - see scratch_folder.h. */
#define _GNU_SOURCE
#include "scratch_folder.h"
#include "allocation.h"
#include "answer_table.h"
#include "file.h"
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <unistd.h>

#define MEMORY_FOLDER "/dev/shm"
#define NAME "/pf-judge-XXXXXX"
#define MEMORY_EVENTS 1000000 /* most events of a recording whose runs are stored in memory */
#define MEMORY_ROOM (1ull << 30) /* bytes that must be free there */

static bool fits_in_memory(size_t events)
{
    struct statvfs now;
    return events <= MEMORY_EVENTS && !statvfs(MEMORY_FOLDER, &now) &&
           (uint64_t)now.f_bavail * now.f_frsize >= MEMORY_ROOM;
}

static char *make_in(const char *folder)
{
    char *path = pf_mem_format("%s" NAME, folder);
    if (mkdtemp(path))
        return path;
    free(path);
    return NULL;
}

/* Waits until all other ends of the pipe are closed, which also happens if their owner is killed.
 * It has a session of its own: a signal to the group of its parent does not reach it. */
static _Noreturn void wait_and_remove(const char *path, int pipe_end)
{
    char byte;
    setsid();
    for (int fd = 0; fd < 3; fd++)
        close(fd);
    while (read(pipe_end, &byte, 1) < 0 && errno == EINTR)
        ;
    pf_folder_remove(path);
    _exit(0);
}

static void start_remover(struct pf_scratch_folder *s)
{
    int ends[2];
    if (pipe2(ends, O_CLOEXEC))
        return;
    pid_t pid = fork();
    if (pid == 0) {
        close(ends[1]);
        wait_and_remove(s->path, ends[0]);
    }
    close(ends[0]);
    s->remover = pid > 0 ? pid : 0;
    s->alive = ends[1];
    if (pid < 0)
        close(ends[1]);
}

void pf_scratch_folder_make(struct pf_scratch_folder *s, const char *folder, size_t events)
{
    char *path = fits_in_memory(events) ? make_in(MEMORY_FOLDER) : NULL;
    *s = (struct pf_scratch_folder){.path = path ? path : make_in(folder)};
    s->own = s->path;
    if (s->own)
        start_remover(s);
    else
        s->path = pf_mem_copy(folder);
}

void pf_scratch_folder_remove(struct pf_scratch_folder *s)
{
    if (!s->path)
        return;
    if (s->own) {
        pf_folder_remove(s->path);
    } else { /* the runs remove their other files */
        char *answers = pf_mem_format("%s/" PF_ANSWER_FILE, s->path);
        unlink(answers);
        free(answers);
    }
    if (s->remover) {
        kill(s->remover, SIGKILL);
        close(s->alive);
        while (waitpid(s->remover, NULL, 0) < 0 && errno == EINTR)
            ;
    }
    free(s->path);
    *s = (struct pf_scratch_folder){0};
}
