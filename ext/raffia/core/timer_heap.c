#include "timer_heap.h"

/* `child` is the first child, `next` a sibling, and `previous` the sibling before, or of a first
 * child the parent. */

static int before(const struct raffia_op *a, const struct raffia_op *b)
{
    return a->deadline != b->deadline ? a->deadline < b->deadline : a->order < b->order;
}

/* One heap of two. */
static struct raffia_op *meld(struct raffia_op *a, struct raffia_op *b)
{
    if (!a || !b) return a ? a : b;
    struct raffia_op *root = before(b, a) ? b : a, *child = root == a ? b : a;
    child->previous = root;
    child->next = root->child;
    if (child->next) child->next->previous = child;
    root->child = child;
    return root;
}

/* One heap of a row of siblings: melded in pairs, and the pairs from the last to the first. That
 * order keeps the cost of a removal logarithmic, amortized. */
static struct raffia_op *meld_row(struct raffia_op *row)
{
    struct raffia_op *pairs = NULL, *root = NULL;
    while (row) {
        struct raffia_op *a = row, *b = row->next;
        row = b ? b->next : NULL;
        a = meld(a, b);
        a->next = pairs;
        pairs = a;
    }
    while (pairs) {
        struct raffia_op *pair = pairs;
        pairs = pair->next;
        root = meld(root, pair);
    }
    if (root) root->next = root->previous = NULL;
    return root;
}

void raffia_heap_push(struct raffia_op **root, struct raffia_op *op)
{
    op->child = op->next = op->previous = NULL;
    *root = meld(*root, op);
}

static void cut(struct raffia_op *op)
{
    if (op->previous->child == op)
        op->previous->child = op->next;
    else
        op->previous->next = op->next;
    if (op->next) op->next->previous = op->previous;
}

void raffia_heap_remove(struct raffia_op **root, struct raffia_op *op)
{
    struct raffia_op *rest = meld_row(op->child);
    if (op == *root) {
        *root = rest;
    } else {
        cut(op);
        *root = meld(*root, rest);
    }
}
