/*
 * libdir.h - where the files are that come with pf: the plugin, the runtime, what gdb is told.
 */
#ifndef PF_CLI_LIBDIR_H
#define PF_CLI_LIBDIR_H

/* The folder that has this file ("/libpf_rt.a"): beside bin/ of this executable, or where PF_LIBDIR says;
 * NULL: neither. Never freed. */
const char *pf_libdir_find(const char *file);

#endif
