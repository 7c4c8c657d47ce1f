/*
 * libdir.h - finds the files that are installed with pf: the plugin, the runtime, the gdb script.
 */
#ifndef PF_PROCESS_LIBDIR_H
#define PF_PROCESS_LIBDIR_H

/* The folder that holds this file ("/libpf_rt.a"): ../lib/photofinish relative to the folder of
 * this executable, else $PF_LIBDIR; NULL if it is in neither. Never freed. */
const char *pf_libdir_find(const char *file);

#endif
