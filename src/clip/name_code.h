/*
 * name_code.h - the records of the stream of names; docs/format/trace.md is normative.
 *
 * Model:   a record is its length (4 bytes), then varints; a text is its length and its bytes.
 */
#ifndef PF_CLIP_NAME_CODE_H
#define PF_CLIP_NAME_CODE_H

enum {
    PF_NAME_POSITION = 1, /* number, file, function, variable, line, column, first line, kind */
    PF_NAME_SITE, /* number, kind and size of the access, n, n positions, innermost first; flags */
    PF_NAME_VARIABLE, /* address, size, name, file, line */
    PF_NAME_THREAD, /* number, number of the creator, site of the creation, name */
};

#define PF_NAME_DEPTH 512 /* positions of a site at most; outer ones are left out */

#endif
