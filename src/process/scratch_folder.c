/* scratch_folder.c - see scratch_folder.h. */
#define _GNU_SOURCE
#include "scratch_folder.h"
#include "allocation.h"
#include "answer_table.h"
#include "file.h"
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define MEMORY_FOLDER "/dev/shm"
#define PREFIX "pf-judge-"
#define NAME "/" PREFIX "XXXXXX"
#define STALE_S 60 /* a younger folder may not be locked yet */
#define MEMORY_EVENTS 1000000 /* most events of a recording whose runs are stored in memory */
#define MEMORY_ROOM (1ull << 30) /* bytes that must be free there */

static bool fits_in_memory(size_t events)
{
    struct statvfs now;
    return events <= MEMORY_EVENTS && !statvfs(MEMORY_FOLDER, &now) &&
           (uint64_t)now.f_bavail * now.f_frsize >= MEMORY_ROOM;
}

/* Opens the folder and locks it; -1: another process has locked it, or it cannot be opened. */
static int lock_folder(const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd >= 0 && flock(fd, LOCK_EX | LOCK_NB)) {
        close(fd);
        return -1;
    }
    return fd;
}

/* Removes folders in memory that are not locked: their owner and its remover were killed. */
static void remove_stale(void)
{
    DIR *all = opendir(MEMORY_FOLDER);
    for (struct dirent *d; all && (d = readdir(all));) {
        if (strncmp(d->d_name, PREFIX, strlen(PREFIX)))
            continue;
        char *path = pf_mem_format(MEMORY_FOLDER "/%s", d->d_name);
        struct stat is;
        int fd = lock_folder(path);
        if (fd >= 0 && !fstat(fd, &is) && is.st_uid == geteuid() &&
            is.st_mtime + STALE_S < time(NULL))
            pf_folder_remove(path);
        if (fd >= 0)
            close(fd);
        free(path);
    }
    if (all)
        closedir(all);
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
    remove_stale();
    char *path = fits_in_memory(events) ? make_in(MEMORY_FOLDER) : NULL;
    *s = (struct pf_scratch_folder){.path = path ? path : make_in(folder), .lock = -1};
    s->own = s->path;
    if (s->own)
        s->lock = lock_folder(s->path);
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
    if (s->lock >= 0)
        close(s->lock);
    free(s->path);
    *s = (struct pf_scratch_folder){0};
}
