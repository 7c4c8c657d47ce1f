/* See symbolic_jumps.c. */
struct many_words {
    long word[4];
};
int twice(int n);
int triple(int n);
int is_letter(char c);
long library_sum(struct many_words w);
