/* process_tree.c - see process_tree.h. */
#define _GNU_SOURCE
#include "process_tree.h"
#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

struct tree {
    pid_t *pid, *parent;
    size_t n, cap;
};

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

static bool grow(struct tree *t)
{
    if (t->n < t->cap)
        return true;
    t->cap = t->cap ? 2 * t->cap : 256;
    pid_t *pid = realloc(t->pid, t->cap * sizeof *pid);
    t->pid = pid ? pid : t->pid;
    pid_t *parent = pid ? realloc(t->parent, t->cap * sizeof *parent) : NULL;
    t->parent = parent ? parent : t->parent;
    return parent;
}

static bool is_below(const struct tree *t, pid_t pid, pid_t top)
{
    for (size_t steps = 0; pid > 1 && steps <= t->n; steps++) {
        pid_t parent = 0;
        for (size_t i = 0; i < t->n; i++)
            if (t->pid[i] == pid)
                parent = t->parent[i];
        if (parent == top)
            return true;
        pid = parent;
    }
    return false;
}

void pf_process_tree_visit(pid_t top, void (*visit)(pid_t pid, void *arg), void *arg)
{
    struct tree t = {0};
    DIR *d = opendir("/proc");
    for (struct dirent *f; d && (f = readdir(d));) {
        if (!isdigit((unsigned char)f->d_name[0]))
            continue;
        if (!grow(&t))
            break;
        t.pid[t.n] = (pid_t)strtol(f->d_name, NULL, 10);
        t.parent[t.n] = pf_process_parent(t.pid[t.n]);
        t.n++;
    }
    if (d)
        closedir(d);
    for (size_t i = 0; i < t.n; i++)
        if (t.pid[i] != top && is_below(&t, t.pid[i], top))
            visit(t.pid[i], arg);
    free(t.pid);
    free(t.parent);
}

static void send_signal(pid_t pid, void *sig) { kill(pid, *(int *)sig); }

void pf_process_tree_signal(int sig) { pf_process_tree_visit(getpid(), send_signal, &sig); }
