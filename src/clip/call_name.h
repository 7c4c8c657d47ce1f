/* call_name.h - the names of system calls, for messages. */
#ifndef PF_CLIP_CALL_NAME_H
#define PF_CLIP_CALL_NAME_H

#include <stddef.h>

/* Writes the name of a system call to `to`, or "system call N" if the table does not have it. */
void pf_call_name(char *to, size_t room, long number);

#endif
