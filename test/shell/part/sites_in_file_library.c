static long count;
long *where(void) { return &count; }
void add(long n) { count += n; }
