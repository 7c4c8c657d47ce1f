void part_both(int *p);
int z = 2;
static void small(int *p) { (*p)++; }
int main(void) { part_both(&z); small(&z); return 0; }
