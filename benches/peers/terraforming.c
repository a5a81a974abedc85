/* Terraforming in the least C that its rules need: the floor for the engine's times.
 *
 * Included: moves, builds, production, shields, towers, scores and the end of the rulebook's game (sections 5, 7
 * and 8 of docs/rules/terraforming.md) on the board of radius 6, for codes that are known to be legal; random games
 * with the draws of masume's generator, for which it stores, as the engine does, the possible moves of the mover's
 * robots. Left out: the contest's rules, other sizes, limits of score, checks of codes, exact amounts, masks, hashes,
 * views, returns, maps.
 */
#include <stdint.h>
#include <string.h>

#include "draw.h"

#include <immintrin.h>

enum { CELLS = 127, ROOM = 128, KINDS = 8, FIRST_BUILD = 1 + 24 * CELLS };
enum { CHOOSE, MOVE, BUILT };
enum { EMPTY, HOME, FACTORY, TOWER, PIT, BRIDGE, PARK, PLAZA, SHIELD, PUBLIC, BUILDING = 15, HOLE = 16 };

typedef struct {
  int32_t robots[ROOM], moved[ROOM];
  uint8_t moves[ROOM]; /* bit d: the robots of the cell's owner may go in direction d; if ready, from bit 6: amounts
                          offered, minus one */
  uint8_t land[ROOM];  /* building, HOLE, owner + 1 from bit 5 */
  uint8_t worth[ROOM]; /* Material of a territory, bonus of a base */
  uint64_t owned[3][2], manned[2], devices[2], ready[2]; /* devices: homes, factories, towers, shields */
  int32_t armed[3];                                     /* whether a player has towers or shields */
  int32_t ply, num_moves, scores[3], num_bases, player, phase, finished;
} game;

typedef struct {
  uint64_t rings[CELLS][5][2]; /* the cells at distance 1..5 */
  int32_t near[CELLS][19];     /* the cells at distance 0..2, the nearest first */
  int32_t within[CELLS][3];    /* number of cells at distance 0..i */
  int32_t step[CELLS][6];      /* the neighbour, or the cell itself */
  uint8_t on_board[CELLS];     /* bit d: there is a neighbour */
  uint8_t opposite[6];         /* bit of the opposite direction */
  uint8_t by_robots[64];       /* buildings possible with n robots, one bit per kind; more make no difference */
  uint8_t by_material[64];     /* and with n Material */
  uint8_t weight[256];         /* number of legal moves of a `moves` */
  uint8_t nth[256][8];         /* the n-th bit of a byte */
  uint16_t offers[6][64];      /* by robots, at most 5, and directions: the `moves`, and from bit 8 their number */
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

#ifdef __AVX2__
typedef uint8_t bytes __attribute__((vector_size(32)));
typedef int8_t signed_bytes __attribute__((vector_size(32)));
#else
typedef uint8_t bytes __attribute__((vector_size(16)));
typedef int8_t signed_bytes __attribute__((vector_size(16)));
#endif

static inline bytes load(const uint8_t *from) {
  bytes found;
  memcpy(&found, from, sizeof found);
  return found;
}

static inline bytes above(bytes v, int8_t limit) { return (bytes)((signed_bytes)v > limit); }

static inline int32_t material_sum(const board *b, const game *g, int32_t cell) {
  uint8_t mine = land_of(g->player);
  int32_t sum = 0;
  for (int32_t i = 0; i < b->within[cell][1]; i++) {
    int32_t near = b->near[cell][i];
    sum += g->land[near] == mine ? g->worth[near] : 0;
  }
  return sum;
}

/* Write bits 6 and 7 of the moves of all cells, and the ready ones; none have moved. Return the number of moves. */
static inline int32_t offer_all(game *g) {
  const uint8_t mine = land_of(g->player);
#ifdef __AVX2__
  const bytes ones = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
  const __m256i none = _mm256_setzero_si256(), order = _mm256_setr_epi32(0, 4, 1, 5, 2, 6, 3, 7);
  __m256i total = none;
#else
  const __m128i none = _mm_setzero_si128();
  __m128i total = none;
#endif
  for (int32_t i = 0; i < ROOM; i += (int32_t)sizeof(bytes)) { /* robots as bytes, those above 127 as 127 */
#ifdef __AVX2__
    const __m256i *robots = (const __m256i *)(g->robots + i);
    const __m256i low = _mm256_packs_epi32(_mm256_loadu_si256(robots), _mm256_loadu_si256(robots + 1));
    const __m256i high = _mm256_packs_epi32(_mm256_loadu_si256(robots + 2), _mm256_loadu_si256(robots + 3));
    const bytes all = (bytes)_mm256_permutevar8x32_epi32(_mm256_packs_epi16(low, high), order);
#else
    const __m128i *robots = (const __m128i *)(g->robots + i);
    const __m128i low = _mm_packs_epi32(_mm_loadu_si128(robots), _mm_loadu_si128(robots + 1));
    const __m128i high = _mm_packs_epi32(_mm_loadu_si128(robots + 2), _mm_loadu_si128(robots + 3));
    const bytes all = (bytes)_mm_packs_epi16(low, high);
#endif
    const bytes ways = load(g->moves + i) & 63;
    const bytes here = all & (bytes)((load(g->land + i) & (uint8_t)(7 << 5)) == mine) & above(ways, 0);
    const bytes one = above(here, 0), two = above(here, 1), three = above(here, 2), five = above(here, 4);
    const bytes found = ways + (two & 64) + (three & 64) + (five & 64);
#ifdef __AVX2__
    const bytes weight = (bytes)_mm256_shuffle_epi8((__m256i)ones, (__m256i)(ways & 15)) +
                         (bytes)_mm256_shuffle_epi8((__m256i)ones, (__m256i)(ways >> 4));
    const bytes counts = (weight & one) + (weight & two) + (weight & three) + (weight & five);
    const uint32_t ready = (uint32_t)_mm256_movemask_epi8((__m256i)one);
    total = _mm256_add_epi64(total, _mm256_sad_epu8((__m256i)counts, none));
    for (int32_t k = 0; k < 32; k += 8) _mm256_storeu_si256((__m256i *)(g->moved + i + k), none);
#else
    const bytes pairs = ways - (ways >> 1 & 0x15), fours = (pairs & 0x33) + (pairs >> 2 & 0x33);
    const bytes weight = (fours + (fours >> 4)) & 7;
    const bytes counts = (weight & one) + (weight & two) + (weight & three) + (weight & five);
    const uint32_t ready = (uint32_t)_mm_movemask_epi8((__m128i)one);
    total = _mm_add_epi64(total, _mm_sad_epu8((__m128i)counts, none));
    for (int32_t k = 0; k < 16; k += 4) _mm_storeu_si128((__m128i *)(g->moved + i + k), none);
#endif
    memcpy(g->moves + i, &found, sizeof found);
    memcpy((uint8_t *)g->ready + i / 8, &ready, sizeof found / 8);
  }
#ifdef __AVX2__
  return (int32_t)(total[0] + total[1] + total[2] + total[3]);
#else
  return (int32_t)(total[0] + total[1]);
#endif
}

/* The directions in which robots of the cell's owner may go; it is no hole. */
static inline uint8_t ways_of(const board *b, const game *g, int32_t cell) {
  int32_t found = 0;
  for (int32_t d = 0; d < 6; d++) {
    uint8_t land = g->land[b->step[cell][d]];
    found |= (!(land & BUILDING) || land >> 5 == g->player + 1) << d;
  }
  return (uint8_t)(found & b->on_board[cell]);
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
  if (g->armed[g->player])
    EACH(cell, word, bits, own[word] & g->devices[word])
      if ((g->land[cell] & BUILDING) == SHIELD)
        for (int32_t i = 1; i < b->within[cell][1]; i++) {
          int32_t near = b->near[cell][i];
          if (g->land[near] >> 5 == g->player + 1 && !(g->robots[near] >>= 1)) drop(g->manned, near);
        }
  g->ply++;
  g->phase = CHOOSE;
  g->num_moves = offer_all(g);
}

static inline void forget_moves(game *g) {
  for (int32_t cell = 0; cell < ROOM; cell++) g->moves[cell] &= 63;
  memset(g->ready, 0, sizeof g->ready);
  g->num_moves = 0;
}

static void fire(const board *b, game *g) {
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
}

static void end_turn(const board *b, game *g) {
  if (g->armed[g->player]) fire(b, g);
  g->player = g->player == 2 ? 0 : g->player + 1;
  if (g->ply < b->last_ply && g->num_bases < CELLS) {
    begin_turn(b, g);
    return;
  }
  g->finished = 1;
  g->phase = CHOOSE;
  memset(g->moved, 0, sizeof g->moved);
  forget_moves(g);
}

static inline void move(const board *b, game *g, int32_t cell, int32_t direction, int32_t bucket) {
  int32_t movable = g->robots[cell] - g->moved[cell], target = b->step[cell][direction];
  uint32_t halvings = 0x1F020100u >> 8 * bucket & 31;
  int32_t amount = (int32_t)(((uint32_t)movable + ((1u << halvings) - 1)) >> halvings), left = movable - amount;
  uint8_t before = g->moves[cell];
  uint32_t after = b->offers[left < 5 ? left : 5][before & 63];
  g->robots[cell] -= amount;
  g->moves[cell] = (uint8_t)after;
  g->num_moves += (int32_t)(after >> 8) - b->weight[before];
  if (!left) drop(g->ready, cell);
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
    g->moves[target] = hole ? 0 : ways_of(b, g, target);
    if (hole) return;
    if (old >= 0) g->scores[old]--;
    g->scores[g->player]++;
    g->worth[target] = 1;
    for (int32_t i = 1; i < b->within[target][1]; i++)
      g->worth[target] += g->land[b->near[target][i]] == (PIT | land_of(g->player));
  } else if (!(g->robots[target] -= amount)) drop(g->manned, target);
}

static inline void develop(const board *b, game *g, int32_t cell, int32_t building, int32_t bonus) {
  g->scores[g->player] += 3 + bonus - !(g->land[cell] & HOLE);
  g->num_bases++;
  g->land[cell] = (uint8_t)(land_of(g->player) | building);
  g->worth[cell] = (uint8_t)bonus;
  g->moves[cell] = ways_of(b, g, cell);
  for (int32_t d = 0; d < 6; d++)
    if (g->land[b->step[cell][d]] >> 5 != g->player + 1) g->moves[b->step[cell][d]] &= (uint8_t)~b->opposite[d];
}

static void build(const board *b, game *g, int32_t cell, int32_t building) {
  uint8_t mine = land_of(g->player);
  if (!(g->robots[cell] -= price[building - FACTORY])) drop(g->manned, cell);
  if (building == FACTORY || building == TOWER || building == SHIELD) put(g->devices, cell);
  g->armed[g->player] |= building == TOWER || building == SHIELD;
  develop(b, g, cell, building, building == PUBLIC ? 10 : 0);
  if (building == PIT)
    for (int32_t i = 1; i < b->within[cell][1]; i++) g->worth[b->near[cell][i]] += g->land[b->near[cell][i]] == mine;
  for (int32_t i = 1; i < b->within[cell][building == PUBLIC ? 2 : building == PLAZA]; i++)
    if (g->land[b->near[cell][i]] == mine) develop(b, g, b->near[cell][i], PARK, 0);
  forget_moves(g);
  g->phase = BUILT;
}

static inline void apply(const board *b, game *g, int32_t code) {
  if (code == 0) end_turn(b, g);
  else if (code < FIRST_BUILD) move(b, g, (code - 1) / 24, (code - 1) % 24 >> 2, (code - 1) & 3);
  else build(b, g, (code - FIRST_BUILD) / KINDS, FACTORY + (code - FIRST_BUILD) % KINDS);
}

/* Play code i in game i. */
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

/* Play random games to the end; return the number of actions. */
int64_t playout(const board *b, game *games, uint64_t *rngs, int64_t n) {
  int64_t count = 0;
  for (int64_t i = 0; i < n; i++)
    for (; !games[i].finished; count++) random_turn(b, games + i, rngs + i);
  return count;
}
