/*
 * shell_word.h - words of commands that a user can paste into a shell.
 */
#ifndef PF_BASE_SHELL_WORD_H
#define PF_BASE_SHELL_WORD_H

/* Returns the word, quoted for the shell if it needs quotes; malloced. If it has bytes that are
 * neither printable ASCII nor printable UTF-8, all its bytes beyond ASCII and its control
 * characters are written as octal numbers for printf; newlines at the end are written as they are.
 */
char *pf_shell_word(const char *word);
/* Appends the word in this form. */
struct pf_text;
void pf_text_shell_word(struct pf_text *t, const char *word);

#endif
