/*
 * report_print.h - prints the text of reports: to standard error, standard output, a descriptor of
 * the program, or a file of this process (option log_path).
 *
 * Memory:  a pool for temporary data, released before return.
 * Threads: the caller holds the report lock and is inside the runtime (pf_nest).
 * Errors:  text that cannot be written is counted (PF_LIMIT_FINDINGS), unless the findings log has
 *          the finding. A closed pipe does not terminate the target.
 */
#ifndef PF_RT_REPORT_PRINT_H
#define PF_RT_REPORT_PRINT_H

#include "textbuf.h"
#include <sys/types.h>

/* At start, and in the child of fork. */
void pf_report_print_open(struct pf_pool *work, pid_t pid);
void pf_report_print(const struct pf_text *t);
/* Redirects all further text: to a value of the option log_path, or to an open descriptor. */
void pf_report_print_to(struct pf_pool *work, pid_t pid, const char *path);
void pf_report_print_to_fd(int fd);
const char *pf_report_print_path(void);
bool pf_report_print_color(void);

#endif
