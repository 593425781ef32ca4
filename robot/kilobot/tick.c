/* See tick.h. All nodes with children have memory, so at most one leaf is running, and the next tick begins at that leaf. */

#include "tick.h"

#include <string.h>

/* Flag of `place`: a motor leaf is running there. Offsets in tables are far smaller. */
#define RUNNING 0x8000u

/* Offsets in every node, after its kind: parent, end of the subtree, operands. */
#define PARENT 1
#define END 3
#define OPERANDS 5

static uint16_t word_at(const uint8_t *place)
{
    return (uint16_t)(TREE_BYTE(place) | (uint16_t)TREE_BYTE(place + 1) << 8);
}

static float number_at(const uint8_t *place)
{
    uint8_t bytes[4];
    float number;
    for (uint8_t i = 0; i < 4; i++)
        bytes[i] = TREE_BYTE(place + i);
    memcpy(&number, bytes, 4);
    return number;
}

/* Returns the offset of the child that a `probm` ticks for a random number. */
static uint16_t choose(const uint8_t *table, uint16_t at, float drawn)
{
    uint8_t children = TREE_BYTE(table + at + OPERANDS);
    const uint8_t *ends = table + at + OPERANDS + 1;
    uint16_t child = (uint16_t)(at + OPERANDS + 1u + 4u * (children - 1u));
    for (uint8_t i = 0; i + 1 < children && drawn >= number_at(ends); i++) {
        child = word_at(table + child + END);
        ends += 4;
    }
    return child;
}

/* Whether the condition of a query node holds. */
static uint8_t holds(const uint8_t *node, uint8_t kind, const float *board)
{
    float value = board[TREE_BYTE(node + OPERANDS)];
    switch (kind) {
    case TREE_IFLTVAR:
        return value < board[TREE_BYTE(node + OPERANDS + 1)];
    case TREE_IFGEVAR:
        return value >= board[TREE_BYTE(node + OPERANDS + 1)];
    case TREE_IFLTCON:
        return value < number_at(node + OPERANDS + 1);
    default:
        return value >= number_at(node + OPERANDS + 1);
    }
}

enum tree_status tree_tick(const uint8_t *table, struct tree_mind *mind, float (*unit)(void))
{
    uint16_t at = mind->place == TREE_ROOT ? 0 : mind->place & (uint16_t)~RUNNING;
    uint8_t resumes = mind->place != TREE_ROOT && (mind->place & RUNNING) != 0;
    mind->board[TREE_MOTORS] = 0;
    for (;;) {
        const uint8_t *node = table + at;
        uint8_t kind = TREE_BYTE(node);
        enum tree_status status = TREE_SUCCESS;
        switch (kind) {
        case TREE_SEQM:
        case TREE_SELM:
        case TREE_SUCCESSD:
        case TREE_FAILED:
            at += OPERANDS;
            continue;
        case TREE_REPEAT:
            mind->counts[TREE_BYTE(node + OPERANDS)] = TREE_BYTE(node + OPERANDS + 1);
            at += OPERANDS + 2;
            continue;
        case TREE_PROBM:
            at = choose(table, at, unit());
            continue;
        case TREE_ML:
        case TREE_MR:
        case TREE_MF:
            if (!resumes) {
                mind->board[TREE_MOTORS] = (float)(kind - TREE_ML + 1);
                mind->place = at | RUNNING;
                return TREE_RUNNING;
            }
            break;
        case TREE_SET:
            mind->board[TREE_BYTE(node + OPERANDS)] = number_at(node + OPERANDS + 1);
            break;
        case TREE_SUCCESSL:
            break;
        case TREE_FAILUREL:
            status = TREE_FAILURE;
            break;
        default:
            status = holds(node, kind, mind->board) ? TREE_SUCCESS : TREE_FAILURE;
        }
        resumes = 0;
        for (;;) {
            if (at == 0) {
                mind->place = TREE_ROOT;
                return status;
            }
            uint16_t next = word_at(table + at + END);
            uint16_t parent_at = word_at(table + at + PARENT);
            const uint8_t *parent = table + parent_at;
            uint8_t parent_kind = TREE_BYTE(parent);
            uint8_t go_on = (parent_kind == TREE_SEQM && status == TREE_SUCCESS)
                || (parent_kind == TREE_SELM && status == TREE_FAILURE);
            if (go_on && next != word_at(parent + END)) {
                at = next;
                break;
            }
            if (parent_kind == TREE_REPEAT && status == TREE_SUCCESS) {
                uint8_t *left = mind->counts + TREE_BYTE(parent + OPERANDS);
                if (*left > 1) {
                    (*left)--;
                    mind->place = (uint16_t)(parent_at + OPERANDS + 2);
                    return TREE_RUNNING;
                }
            } else if (parent_kind == TREE_SUCCESSD) {
                status = TREE_SUCCESS;
            } else if (parent_kind == TREE_FAILED) {
                status = TREE_FAILURE;
            }
            at = parent_at;
        }
    }
}
