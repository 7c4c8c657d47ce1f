struct node { struct node *next; int *value; };
int lib_sum(struct node *n, int (*f)(int))
{
    int sum = 0;
    for (; n; n = n->next)
        sum += f(*n->value);
    return sum;
}
