/* Terraforming in as little C as its rules need: the floor that the engine is measured by.
 *
 * What it does: moves, builds, production, shields, towers, scores and the end of the rulebook's game (sections 5, 7
 * and 8 of docs/rules/terraforming.md) on the board of radius 6, for codes that are known to be legal; random games with
 * the draws of masume's generator, for which it keeps, as the engine does, where the mover's robots may go.
 * What it leaves out: the contest's rules, other sizes, limits of score, checks of codes, exact amounts, masks, hashes,
 * views, returns, maps.
 */
#include <stdint.h>
#include <string.h>

#include "draw.h"

enum { CELLS = 127, KINDS = 8, FIRST_BUILD = 1 + 24 * CELLS };
enum { CHOOSE, MOVE, BUILT };
enum { EMPTY, HOME, FACTORY, TOWER, PIT, BRIDGE, PARK, PLAZA, SHIELD, PUBLIC, BUILDING = 15, HOLE = 16 };

typedef struct {
  int32_t robots[CELLS], moved[CELLS];
  uint8_t moves[CELLS]; /* bit d: the mover's robots may go in direction d; from bit 6 on: amounts offered less one */
  uint8_t land[CELLS];  /* building, HOLE, owner + 1 from bit 5 on */
  uint8_t worth[CELLS]; /* Material of a territory, bonus of a base */
  uint64_t owned[3][2], manned[2], holes[2], devices[2], ready[2]; /* devices: homes, factories, towers, shields */
  int32_t ply, num_moves, scores[3], bases, player, phase, finished;
} game;

typedef struct {
  uint64_t rings[CELLS][5][2]; /* the cells at distance 1..5 */
  int32_t near[CELLS][19];     /* the cells at distance 0..2, the nearest first */
  int32_t within[CELLS][3];    /* how many are at distance 0..i */
  int32_t step[CELLS][6];      /* the neighbour, or the cell itself */
  uint8_t on_board[CELLS];     /* bit d: there is a neighbour */
  uint8_t by_robots[64];       /* what can be built with so many robots, a bit a kind; more make no difference */
  uint8_t by_material[64];     /* and with so much Material */
  uint8_t weight[256];         /* legal moves of a `moves` */
  uint8_t nth[256][8];         /* the n-th bit of a byte */
  int32_t last_ply;
} board;

static const int32_t price[KINDS] = {50, 25, 20, 10, 1, 1, 25, 1};

static inline void put(uint64_t *set, int32_t cell) { set[cell >> 6] |= (uint64_t)1 << (cell & 63); }
static inline void drop(uint64_t *set, int32_t cell) { set[cell >> 6] &= ~((uint64_t)1 << (cell & 63)); }
static inline uint8_t land_of(int32_t player) { return (uint8_t)((player + 1) << 5); }

#define EACH(cell, word, bits, set)                                                                    \
  for (int32_t word = 0; word < 2; word++)                                                             \
    for (uint64_t bits = (set); bits; bits &= bits - 1)                                                \
      for (int32_t cell = 64 * word + __builtin_ctzll(bits), once_ = 1; once_; once_ = 0)

static inline uint8_t offer(int32_t directions, int32_t movable) {
  return movable > 0 && directions ? (uint8_t)(directions | ((movable > 1) + (movable > 2) + (movable > 4)) << 6) : 0;
}

static inline int32_t material_sum(const board *b, const game *g, int32_t cell) {
  uint8_t mine = land_of(g->player);
  int32_t sum = 0;
  for (int32_t i = 0; i < b->within[cell][1]; i++) {
    int32_t near = b->near[cell][i];
    sum += g->land[near] == mine ? g->worth[near] : 0;
  }
  return sum;
}

static void begin_turn(const board *b, game *g) {
  const uint64_t *own = g->owned[g->player];
  EACH(cell, word, bits, own[word] & g->devices[word]) {
    int32_t building = g->land[cell] & BUILDING;
    if (building <= FACTORY) {
      g->robots[cell] += building == HOME ? 5 : 1;
      put(g->manned, cell);
    }
  }
  EACH(cell, word, bits, own[word] & g->devices[word])
    if ((g->land[cell] & BUILDING) == SHIELD)
      for (int32_t i = 1; i < b->within[cell][1]; i++) {
        int32_t near = b->near[cell][i];
        if (g->land[near] >> 5 == g->player + 1 && !(g->robots[near] >>= 1)) drop(g->manned, near);
      }
  memset(g->moved, 0, sizeof g->moved);
  memset(g->moves, 0, sizeof g->moves);
  memset(g->ready, 0, sizeof g->ready);
  g->num_moves = 0;
  g->ply++;
  g->phase = CHOOSE;
  EACH(cell, word, bits, own[word] & g->manned[word] & ~g->holes[word]) {
    int32_t found = 0;
    for (int32_t d = 0; d < 6; d++) {
      uint8_t land = g->land[b->step[cell][d]];
      found |= (!(land & BUILDING) || land >> 5 == g->player + 1) << d;
    }
    g->moves[cell] = offer(found & b->on_board[cell], g->robots[cell]);
    if (g->moves[cell]) {
      put(g->ready, cell);
      g->num_moves += b->weight[g->moves[cell]];
    }
  }
}

static void end_turn(const board *b, game *g) {
  const uint64_t *own = g->owned[g->player];
  uint64_t hits[2] = {0, 0};
  int32_t left[CELLS];
  EACH(cell, word, bits, own[word] & g->devices[word]) {
    int32_t building = g->land[cell] & BUILDING;
    if (building == SHIELD)
      for (int32_t i = 1; i < b->within[cell][1]; i++) {
        int32_t near = b->near[cell][i];
        if (g->land[near] >> 5 == g->player + 1) g->robots[near] *= 2;
      }
    if (building == TOWER)
      for (int32_t reach = 0; reach < 5; reach++) {
        uint64_t found = 0;
        EACH(target, word_, bits_, b->rings[cell][reach][word_] & g->manned[word_] & ~own[word_]) {
          int32_t shot = g->robots[target] / 10;
          found = 1;
          if (!(hits[target >> 6] >> (target & 63) & 1)) left[target] = g->robots[target];
          put(hits, target);
          left[target] -= shot ? shot : 1;
          if (left[target] < 0) left[target] = 0;
        }
        if (found) break;
      }
  }
  EACH(cell, word, bits, hits[word])
    if (!(g->robots[cell] = left[cell])) drop(g->manned, cell);
  g->player = g->player == 2 ? 0 : g->player + 1;
  if (g->ply < b->last_ply && g->bases < CELLS) {
    begin_turn(b, g);
    return;
  }
  g->finished = 1;
  g->phase = CHOOSE;
  memset(g->moved, 0, sizeof g->moved);
  memset(g->moves, 0, sizeof g->moves);
  memset(g->ready, 0, sizeof g->ready);
  g->num_moves = 0;
}

static inline void move(const board *b, game *g, int32_t cell, int32_t direction, int32_t bucket) {
  int32_t movable = g->robots[cell] - g->moved[cell], target = b->step[cell][direction];
  int32_t amount = bucket == 3 ? 1 : (movable + (1 << bucket) - 1) >> bucket;
  uint8_t before = g->moves[cell];
  g->robots[cell] -= amount;
  g->moves[cell] = offer(before & 63, movable - amount);
  g->num_moves += b->weight[g->moves[cell]] - b->weight[before];
  if (!g->moves[cell]) drop(g->ready, cell);
  if (!g->robots[cell]) drop(g->manned, cell);
  g->phase = MOVE;
  if (g->land[target] >> 5 == g->player + 1) {
    g->robots[target] += amount;
    g->moved[target] += amount;
    put(g->manned, target);
  } else if (amount > g->robots[target]) {
    int32_t old = (g->land[target] >> 5) - 1, hole = g->land[target] & HOLE;
    g->robots[target] = g->moved[target] = amount - g->robots[target];
    put(g->manned, target);
    if (old >= 0) drop(g->owned[old], target);
    put(g->owned[g->player], target);
    g->land[target] = (uint8_t)(hole | land_of(g->player));
    if (hole) return;
    if (old >= 0) g->scores[old]--;
    g->scores[g->player]++;
    g->worth[target] = 1;
    for (int32_t i = 1; i < b->within[target][1]; i++)
      g->worth[target] += g->land[b->near[target][i]] == (PIT | land_of(g->player));
  } else if (!(g->robots[target] -= amount)) drop(g->manned, target);
}

static inline void develop(game *g, int32_t cell, int32_t building, int32_t bonus) {
  g->scores[g->player] += 3 + bonus - !(g->land[cell] & HOLE);
  g->bases++;
  g->land[cell] = (uint8_t)(land_of(g->player) | building);
  g->worth[cell] = (uint8_t)bonus;
}

static void build(const board *b, game *g, int32_t cell, int32_t building) {
  uint8_t mine = land_of(g->player);
  if (!(g->robots[cell] -= price[building - FACTORY])) drop(g->manned, cell);
  drop(g->holes, cell);
  if (building == FACTORY || building == TOWER || building == SHIELD) put(g->devices, cell);
  develop(g, cell, building, building == PUBLIC ? 10 : 0);
  if (building == PIT)
    for (int32_t i = 1; i < b->within[cell][1]; i++) g->worth[b->near[cell][i]] += g->land[b->near[cell][i]] == mine;
  for (int32_t i = 1; i < b->within[cell][building == PUBLIC ? 2 : building == PLAZA]; i++)
    if (g->land[b->near[cell][i]] == mine) develop(g, b->near[cell][i], PARK, 0);
  memset(g->moves, 0, sizeof g->moves);
  memset(g->ready, 0, sizeof g->ready);
  g->num_moves = 0;
  g->phase = BUILT;
}

static inline void apply(const board *b, game *g, int32_t code) {
  if (code == 0) end_turn(b, g);
  else if (code < FIRST_BUILD) move(b, g, (code - 1) / 24, (code - 1) % 24 >> 2, (code - 1) & 3);
  else build(b, g, (code - FIRST_BUILD) / KINDS, FACTORY + (code - FIRST_BUILD) % KINDS);
}

/* Code i for game i. */
int64_t turn(const board *b, game *games, const int32_t *codes, int64_t n) {
  for (int64_t i = 0; i < n; i++) apply(b, games + i, codes[i]);
  return n;
}

static inline int32_t builds_of(const board *b, const game *g, int32_t cell) {
  int32_t robots = g->robots[cell], land = g->land[cell], found = b->by_robots[robots < 63 ? robots : 63];
  if (!found || land & BUILDING) return 0;
  found &= land & HOLE ? 1 << (BRIDGE - FACTORY) : ~(1 << (BRIDGE - FACTORY));
  return found & b->by_material[material_sum(b, g, cell)];
}

static void random_turn(const board *b, game *g, uint64_t *rng) {
  int32_t total = 1 + g->num_moves, count = 0, left, sites[CELLS], builds[CELLS];
  if (g->phase == CHOOSE)
    EACH(cell, word, bits, g->owned[g->player][word] & g->manned[word]) {
      builds[count] = builds_of(b, g, cell);
      sites[count] = cell;
      total += __builtin_popcount((uint32_t)builds[count]);
      count += builds[count] != 0;
    }
  left = (int32_t)below(rng, (uint32_t)total) - 1;
  if (left < 0) {
    end_turn(b, g);
    return;
  }
  if (left < g->num_moves)
    EACH(cell, word, bits, g->ready[word]) {
      int32_t here = b->weight[g->moves[cell]], offered = (g->moves[cell] >> 6) + 1;
      if (left < here) {
        move(b, g, cell, b->nth[g->moves[cell] & 63][left / offered], left % offered);
        return;
      }
      left -= here;
    }
  left -= g->num_moves;
  for (int32_t site = 0;; site++) {
    int32_t here = __builtin_popcount((uint32_t)builds[site]);
    if (left < here) {
      build(b, g, sites[site], FACTORY + b->nth[builds[site]][left]);
      return;
    }
    left -= here;
  }
}

/* Random games to the end; how many actions they took. */
int64_t playout(const board *b, game *games, uint64_t *rngs, int64_t n) {
  int64_t count = 0;
  for (int64_t i = 0; i < n; i++)
    for (; !games[i].finished; count++) random_turn(b, games + i, rngs + i);
  return count;
}
