// Twin of file_in_pieces: the order decides which bytes the program writes to a file.
// judge: whole output-differs
// evidence: whole byte 0: primary: "the"; alternate: "oth"
// evidence: whole write_text
#include "file_text.h"

static void write_text(int fd)
{
    const char *text = whole ? "other bytes\n" : "these bytes\n";
    put(fd, text, 3);
    put(fd, text + 3, strlen(text) - 3);
}
