/* process_tree.c - see process_tree.h. */
#define _GNU_SOURCE
#include "process_tree.h"
#include "vector.h"
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct live_process {
    pid_t pid, parent;
};
typedef PF_VEC(struct live_process) live_processes;

/* Reads "pid (name) state ppid ..."; the name may contain any characters. */
pid_t pf_process_parent(pid_t pid)
{
    char path[32], text[512];
    snprintf(path, sizeof path, "/proc/%d/stat", (int)pid);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t n = fd >= 0 ? read(fd, text, sizeof text - 1) : -1;
    if (fd >= 0)
        close(fd);
    if (n <= 0)
        return 0;
    text[n] = 0;
    const char *s = strrchr(text, ')');
    return s && s[1] && s[2] && s[2] != 'Z' ? (pid_t)strtol(s + 3, NULL, 10) : 0;
}

static bool is_below(const live_processes *all, pid_t pid, pid_t top)
{
    for (size_t steps = 0; pid > 1 && steps <= all->len; steps++) {
        pid_t parent = 0;
        for (size_t i = 0; i < all->len; i++)
            if (all->at[i].pid == pid)
                parent = all->at[i].parent;
        if (parent == top)
            return true;
        pid = parent;
    }
    return false;
}

void pf_process_tree_visit(pid_t top, void (*visit)(pid_t pid, void *arg), void *arg)
{
    live_processes all = {0};
    DIR *d = opendir("/proc");
    for (struct dirent *f; d && (f = readdir(d));) {
        if (!isdigit((unsigned char)f->d_name[0]))
            continue;
        pid_t pid = (pid_t)strtol(f->d_name, NULL, 10);
        pf_vec_push(&all, (struct live_process){pid, pf_process_parent(pid)});
    }
    if (d)
        closedir(d);
    for (size_t i = 0; i < all.len; i++)
        if (all.at[i].pid != top && is_below(&all, all.at[i].pid, top))
            visit(all.at[i].pid, arg);
    pf_vec_release(&all);
}

static void send_signal(pid_t pid, void *sig) { kill(pid, *(int *)sig); }

void pf_process_tree_signal(int sig) { pf_process_tree_visit(getpid(), send_signal, &sig); }
