/*
 * line_table.h - the source line of an address of code, from the debug information of its object.
 *
 * Model:   reads section .debug_line (DWARF 2 to 5) of the file that is mapped at the address. The
 *          site tables (abi) know the lines of accesses and calls; this is for addresses that are
 *          neither, such as the instruction at which a program crashed.
 * Memory:  maps the file while it is read; `file` points into a buffer of the caller.
 * Threads: any. Takes no lock and calls no function of libc.
 * Errors:  false if the object has no debug information, or has it compressed, or is damaged.
 * Cost:    O(size of .debug_line): for rare use.
 */
#ifndef PF_RT_LINE_TABLE_H
#define PF_RT_LINE_TABLE_H

#include <stdbool.h>
#include <stdint.h>

struct pf_source_line {
    char file[256]; /* as the compiler has written it, without its folder */
    uint32_t line, column;
};

/* path: the object file; offset: where the code is in that file. */
bool pf_line_table_find(const char *path, uint64_t offset, struct pf_source_line *out);

#endif
