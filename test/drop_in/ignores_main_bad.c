// want: ignores-at-thread-end
// tsan: reports it without the word WARNING
// The main thread returns in a region in which its writes are ignored.
void AnnotateIgnoreWritesBegin(const char *file, int line);

int main(void)
{
    AnnotateIgnoreWritesBegin(__FILE__, __LINE__);
    return 0;
}
