/* Data of a library that is loaded where freed blocks were. */
char freed_data[500000] = {1};
