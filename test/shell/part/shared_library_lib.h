extern int counter;
void bump(void);
