/*
 * name_code.h - the records of stream `name`; docs/format/trace.md is normative.
 *
 * Model:   a record is its length (4 bytes), then varints; a text is its length and its bytes.
 */
#ifndef PF_CLIP_NAME_CODE_H
#define PF_CLIP_NAME_CODE_H

enum {
    /* number, file, function, variable, line, column, first line of the function, kind, object
     * (0: unknown), further lines of a merged access, 1 if it stands for deeper recursion */
    PF_NAME_POSITION = 1,
    PF_NAME_SITE, /* number, kind and size of the access, n, n positions (innermost first), flags */
    PF_NAME_VARIABLE, /* address, size, name, file, line */
    /* number, number of its creator, site of its creation, name, id, address and size of its stack,
     * address and size of its thread-local storage; written again when the name changes */
    PF_NAME_THREAD,
    PF_NAME_OBJECT, /* number from 1, path of the program or library */
    PF_NAME_CALLEE, /* address, symbol: a function that was called through a pointer */
};

#define PF_NAME_DEPTH 512 /* most positions of a site; outer ones are dropped */

#endif
