/*
 * process_tree.h - the processes below another one, read from /proc.
 *
 * Model:   a snapshot; processes that start or end meanwhile may be missed. A caller that must not
 *          miss any repeats until none is left.
 */
#ifndef PF_PROCESS_PROCESS_TREE_H
#define PF_PROCESS_PROCESS_TREE_H

#include <stdbool.h>
#include <sys/types.h>

/* The parent of a process; 0: it has ended, or is a zombie. */
pid_t pf_process_parent(pid_t pid);
/* Calls `visit` for every descendant of `top`. */
void pf_process_tree_visit(pid_t top, void (*visit)(pid_t pid, void *arg), void *arg);
/* Sends a signal to every descendant of this process. */
void pf_process_tree_signal(int sig);

#endif
