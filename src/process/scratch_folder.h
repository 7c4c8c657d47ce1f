/*
 * scratch_folder.h - a folder for the files of runs of one recording (pf judge).
 *
 * Model:   there are many small files, and writing them to a disk would cost more than the runs. So
 *          the folder is in memory, unless the recording is so long that its files may need too
 *          much of it. A process of its own removes the folder if this one is killed. If both
 *          are killed, the next folder that is made removes it: its lock is free.
 * Threads: the caller must be single-threaded.
 */
#ifndef PF_PROCESS_SCRATCH_FOLDER_H
#define PF_PROCESS_SCRATCH_FOLDER_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

struct pf_scratch_folder {
    char *path; /* NULL: before make, after remove */
    bool own; /* it was made, and is removed */
    int lock; /* descriptor of the folder, which is locked; -1: none */
    pid_t remover; /* 0: none */
    int alive; /* the remover waits until this end of a pipe is closed */
};

/* Makes the folder: in memory, or below `folder`, which exists. On failure its path is that of
 * `folder` itself. */
void pf_scratch_folder_make(struct pf_scratch_folder *s, const char *folder, size_t events);
void pf_scratch_folder_remove(struct pf_scratch_folder *s);

#endif
