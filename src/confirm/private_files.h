/*
 * private_files.h - the files that repeated runs of a recording see.
 *
 * Model:   repeated runs are private: no other process sees what they change, so every run finds
 *          the same files. The recording itself has left its output in the user's folder. A program
 *          that refuses to overwrite it cannot be repeated; then the files that were created after
 *          the recording began are hidden from all runs that use the same folder for temporary
 *          files.
 * Memory:  the caller frees the text. What is hidden is remembered in a file of the folder.
 */
#ifndef PF_CONFIRM_PRIVATE_FILES_H
#define PF_CONFIRM_PRIVATE_FILES_H

#include "clip.h"

/* `served` of the description of a run: private, with the served inputs of the recording, and
 * without the hidden files. */
char *pf_private_files(const struct pf_clip *recording, const char *folder);
/* Hides the files that were created after the recording began, in its working folder and in the
 * folders of files that its arguments name. False: there are none, or they are hidden already. */
bool pf_private_files_hide(const struct pf_clip *recording, const char *folder);
/* The path of the list of hidden files: lines absent:PATH=. */
char *pf_private_files_list(const char *folder);
/* True if the run ended because it made a call that cannot be kept private. */
bool pf_private_files_refused(const struct pf_clip_end *end);
/* Removes the list of the hidden files: the next runs of the folder see all files. */
void pf_private_files_forget(const char *folder);

#endif
