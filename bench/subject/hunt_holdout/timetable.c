/* A timetable of jobs, one on each line: MINUTE HOUR WEEKDAY NAME, where a field is a number, a
 * star, a range A-B, or a star with a step. The argument after the file is a date YYYY-MM-DD. Each
 * job that runs on this day gets a thread. On the 29th of February, the jobs at noon share a record
 * without a lock. */
// args: jobs 2023-05-17
// file: jobs=0 3 * backup
// file: jobs=30 12 1-5 mail
// file: jobs=*/20 8 6 report
// input: argv,file:jobs
// race: SHARE SHARE
#include "../hunt/hunt.h"

struct job {
    unsigned minute, hour;
    char name[16];
};

static struct job jobs[8];
static int count, leap_day;
static unsigned shared, done;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

/* The first value of a field, from `low` to `high`; -1: the field is wrong. */
static int field(const char *s, int low, int high, int wanted, int *matches)
{
    char *end;
    long a, b;
    if (*s == '*') {
        *matches = 1;
        if (!s[1])
            return low;
        b = s[1] == '/' ? strtol(s + 2, &end, 10) : 0;
        *matches = b > 0 && wanted % b == 0;
        return b > 0 && !*end ? low : -1;
    }
    a = b = strtol(s, &end, 10);
    if (end == s)
        return -1;
    if (*end == '-')
        b = strtol(end + 1, &end, 10);
    if (*end || a < low || b > high || b < a)
        return -1;
    *matches = wanted >= a && wanted <= b;
    return (int)a;
}

/* 0 is Sunday; -1: there is no such day. */
static int weekday(int y, int m, int d)
{
    static const int days[] = {31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    static const int shift[] = {0, 3, 2, 5, 0, 3, 5, 1, 4, 6, 2, 4};
    int leap = (y % 4 == 0 && y % 100 != 0) || y % 400 == 0;
    if (y < 1900 || y > 2099 || m < 1 || m > 12 || d < 1 || d > days[m - 1] + (leap && m == 2))
        return -1;
    leap_day = m == 2 && d == 29;
    y -= m < 3;
    return (y + y / 4 - y / 100 + y / 400 + shift[m - 1] + d) % 7;
}

static void *execute(void *arg)
{
    const struct job *j = arg;
    if (leap_day && j->hour == 12) {
        GUARD();
        shared += j->minute + 1; /* SHARE */
        UNGUARD();
    }
    pthread_mutex_lock(&lock);
    done++;
    pthread_mutex_unlock(&lock);
    return NULL;
}

int main(int argc, char **argv)
{
    int y, m, d, day;
    char line[100], fields[3][12];
    FILE *f = argc == 3 ? fopen(argv[1], "r") : NULL;
    if (!f || sscanf(argv[2], "%d-%d-%d", &y, &m, &d) != 3 || (day = weekday(y, m, d)) < 0)
        return 2;
    while (count < 8 && fgets(line, sizeof line, f)) {
        struct job *j = &jobs[count];
        int minute, hour, today, any;
        if (sscanf(line, "%11s %11s %11s %15s", fields[0], fields[1], fields[2], j->name) != 4 ||
            (minute = field(fields[0], 0, 59, 0, &any)) < 0 ||
            (hour = field(fields[1], 0, 23, 0, &any)) < 0 ||
            field(fields[2], 0, 6, day, &today) < 0)
            continue;
        j->minute = (unsigned)minute;
        j->hour = (unsigned)hour;
        count += today;
    }
    pthread_t t[8];
    for (int i = 0; i < count; i++)
        pthread_create(&t[i], NULL, execute, &jobs[i]);
    for (int i = 0; i < count; i++)
        pthread_join(t[i], NULL);
    printf("%u jobs, shared %u\n", done, shared);
    fclose(f);
    return 0;
}
