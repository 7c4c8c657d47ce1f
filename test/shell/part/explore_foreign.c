/* Not compiled with pf: what it does is not known. */
extern int shared;
void foreign(void);
void foreign(void) { shared = 2; }
