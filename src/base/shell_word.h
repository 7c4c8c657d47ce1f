/*
 * shell_word.h - words of commands that a user can paste into a shell.
 */
#ifndef PF_BASE_SHELL_WORD_H
#define PF_BASE_SHELL_WORD_H

/* Returns the word, quoted for the shell if it needs quotes; malloced. Bytes that are not printable
 * are written as octal numbers for printf; newlines at the end are written as they are. */
char *pf_shell_word(const char *word);

#endif
