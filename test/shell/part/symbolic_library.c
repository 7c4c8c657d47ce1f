/* See symbolic_jumps.c. */
#include "symbolic_library.h"

int twice(int n) { return 2 * n; }
int triple(int n) { return 3 * n; }
int is_letter(char c) { return c >= 'a' && c <= 'z'; }
long library_sum(struct many_words w) { return w.word[0] + w.word[1] + twice((int)w.word[3]); }
