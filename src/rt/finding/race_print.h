/*
 * race_print.h - where the text of reports goes: standard error, standard output, a descriptor of
 * the program's, or a file of this process (log_path).
 *
 * Memory:  a pool for work, given back at once.
 * Threads: the caller holds the report lock and is nested.
 * Errors:  text that cannot be written is counted (PF_LIMIT_FINDINGS), unless the findings log has
 *          the finding anyway. A reader that is gone does not end the target.
 */
#ifndef PF_RT_RACE_PRINT_H
#define PF_RT_RACE_PRINT_H

#include "textbuf.h"
#include <sys/types.h>

/* At start, and in the child of fork. */
void pf_race_print_open(struct pf_pool *work, pid_t pid);
void pf_race_print(const struct pf_text *t);
/* From now on: as option log_path says it, or an open descriptor. */
void pf_race_print_to(struct pf_pool *work, pid_t pid, const char *path);
void pf_race_print_to_fd(int fd);
const char *pf_race_print_path(void);
bool pf_race_print_color(void);

#endif
