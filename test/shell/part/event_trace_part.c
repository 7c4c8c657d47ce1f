int sum;
void part_add(int *p) { sum += *p; }
void part_both(int *p) { part_add(p), part_add(p); }
