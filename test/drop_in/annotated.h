/* annotated.h - the annotations of a lock that a program implements itself. */
void AnnotateRWLockCreate(const char *file, int line, void *lock);
void AnnotateRWLockDestroy(const char *file, int line, void *lock);
void AnnotateRWLockAcquired(const char *file, int line, void *lock, long writer);
void AnnotateRWLockReleased(const char *file, int line, void *lock, long writer);
#define ACQUIRED(lock, writer) AnnotateRWLockAcquired(__FILE__, __LINE__, lock, writer)
#define RELEASED(lock, writer) AnnotateRWLockReleased(__FILE__, __LINE__, lock, writer)
