/*
 * collection.h - the driver of the subjects that are collections: one takes over what another holds while that is
 * emptied. Included at their end: add, clear, count and add_all are theirs, as are the collections one and two.
 */
static void *takes_over(void *p)
{
    add_all(&one, &two);
    return p;
}

static void *empties(void *p)
{
    LOCK(&two.lock);
    clear(&two);
    UNLOCK(&two.lock);
    return p;
}

static void *adds(void *p)
{
    LOCK(&one.lock);
    add(&one, 70);
    UNLOCK(&one.lock);
    return p;
}

int main(void)
{
    void *(*const body[])(void *) = {takes_over, empties, adds};
    for (int i = 1; i <= 4; i++) {
        add(&one, i);
        add(&two, i * 10);
    }
    run_threads(body, NULL, 3);
    MUST(one.size >= 5 && one.size == count(&one));
    return 0;
}
