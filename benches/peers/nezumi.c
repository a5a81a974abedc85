/* Nezumi in the least C that its rules need: the floor for the engine's times.
 *
 * Included: every phase of a game, food and costs, and the end of the game (sections 5, 7 and 8 of
 * docs/rules/nezumi.md), for codes that are known to be legal; random games with the draws of masume's generator.
 * Left out: checks of codes, masks, hashes, views, returns, games that restart, and stages of more than
 * 64 * WORDS cells.
 */
#include <stdint.h>

#include "draw.h"

enum { WORDS = 3, CELLS = 64 * WORDS };
enum { PLACE, CAT1, CAT2, ADD, MOVE, REACT, OVER };
enum { NONE, SURROUND, CAPTURES, TURNS };

typedef struct {
  uint64_t unmoved[WORDS], moved[WORDS], food[WORDS]; /* one bit per cell: mice, food that is left */
  int64_t eaten, paid;
  int32_t turn, cat, arrival, ways, moved_ways; /* legal moves of the mice that have not moved, and of the others */
  int32_t mice, captured, phase, from, result;
} game;

typedef struct {
  int64_t amount[CELLS]; /* food */
  uint64_t zone[WORDS];
  int32_t size, mice, require, turns, first, last; /* mice: present; first, last: words of the zone */
  int32_t step[4], diagonal[CELLS][4];
  uint8_t ways[CELLS];      /* bit d: there is a neighbour in direction d; 16: there is none at all */
  uint8_t count[CELLS];     /* number of ways */
  uint8_t row[CELLS], column[CELLS];
  uint8_t close[2 * CELLS]; /* at CELLS + the difference of two cells: whether they may be neighbours */
  uint8_t nth[32][5];       /* the n-th way of a set */
} stage;

static inline uint64_t bit(int32_t cell) { return (uint64_t)1 << (cell & 63); }
static inline uint64_t mice(const game *g, int32_t word) { return g->unmoved[word] | g->moved[word]; }
static inline int is_mouse(const game *g, int32_t cell) { return (mice(g, cell >> 6) & bit(cell)) != 0; }

static inline uint64_t open_zone(const stage *s, const game *g, int32_t word) {
  uint64_t cells = s->zone[word] & ~mice(g, word);
  return g->cat >> 6 == word ? cells & ~bit(g->cat) : cells;
}

static inline int can_put(const stage *s, const game *g) {
  if (g->mice + g->captured == s->mice) return 0;
  for (int32_t word = s->first; word < s->last; word++)
    if (open_zone(s, g, word)) return 1;
  return 0;
}

static inline void finish(game *g, int32_t result) {
  g->phase = OVER;
  g->result = result;
}

static inline int is_surrounded(const stage *s, const game *g) {
  const int32_t *at = s->diagonal[g->cat];
  return is_mouse(g, at[0]) && is_mouse(g, at[1]) && is_mouse(g, at[2]) && is_mouse(g, at[3]);
}

static void end_turn(const stage *s, game *g) {
  g->paid += g->mice * (g->captured + 1);
  if (g->turn == s->turns) {
    finish(g, TURNS);
    return;
  }
  g->turn++;
  g->phase = CAT1;
  g->ways += g->moved_ways;
  g->moved_ways = 0;
  for (int32_t word = 0; word < WORDS; word++) {
    g->unmoved[word] |= g->moved[word];
    g->moved[word] = 0;
  }
}

static inline void resume(const stage *s, game *g, int32_t phase) {
  g->phase = phase == PLACE ? PLACE : MOVE;
  if (phase == PLACE ? !can_put(s, g) : g->ways == 0) end_turn(s, g);
}

/* A mouse has come near the cat. */
static void meet(const stage *s, game *g, int32_t cell, int32_t phase, int32_t far) {
  if (far == 2) {
    if (is_surrounded(s, g)) finish(g, SURROUND);
    else resume(s, g, phase);
    return;
  }
  g->phase = REACT;
  g->arrival = cell;
  g->from = phase;
}

static inline void arrive(const stage *s, game *g, int32_t cell, int32_t phase) {
  int32_t word = cell >> 6;
  if (g->food[word] & bit(cell)) {
    g->food[word] ^= bit(cell);
    g->eaten += s->amount[cell];
  }
  if (phase == MOVE) {
    g->moved[word] |= bit(cell);
    g->moved_ways += s->count[cell];
  } else {
    g->unmoved[word] |= bit(cell);
    g->ways += s->count[cell];
  }
  if (s->close[CELLS + cell - g->cat]) {
    int32_t down = s->row[cell] - s->row[g->cat], right = s->column[cell] - s->column[g->cat];
    int32_t far = down * down + right * right;
    if (far == 0) {
      g->mice--;
      g->moved[word] ^= bit(cell);
      g->moved_ways -= s->count[cell];
    }
    if (far <= 2) {
      meet(s, g, cell, phase, far);
      return;
    }
  }
  resume(s, g, phase);
}

static inline void move(const stage *s, game *g, int32_t cell, int32_t way) {
  int32_t to = cell;
  do {
    if (!(s->ways[to] & 15 & 1 << way)) { /* it retires */
      to = -1;
      break;
    }
    to += s->step[way];
  } while (is_mouse(g, to));
  g->unmoved[cell >> 6] ^= bit(cell);
  g->ways -= s->count[cell];
  if (to >= 0) {
    arrive(s, g, to, MOVE);
    return;
  }
  g->mice--;
  resume(s, g, MOVE);
}

static void begin_mice(const stage *s, game *g) {
  if (can_put(s, g)) g->phase = ADD;
  else resume(s, g, ADD);
}

static void react(const stage *s, game *g, int captures) {
  int32_t cell = g->arrival, phase = g->from;
  g->arrival = -1;
  g->from = 0;
  if (captures) {
    if (cell != g->cat) {
      g->mice--;
      *(phase == MOVE ? &g->moved[cell >> 6] : &g->unmoved[cell >> 6]) ^= bit(cell);
      *(phase == MOVE ? &g->moved_ways : &g->ways) -= s->count[cell];
    }
    if (++g->captured >= s->require) {
      finish(g, CAPTURES);
      return;
    }
  }
  resume(s, g, phase);
}

static void move_cat(const stage *s, game *g, int32_t way) {
  int32_t cell = g->cat += s->step[way], took = is_mouse(g, cell);
  if (took) {
    g->unmoved[cell >> 6] ^= bit(cell);
    g->ways -= s->count[cell];
    g->mice--;
    g->captured++;
  }
  if (is_surrounded(s, g)) finish(g, SURROUND);
  else if (took && g->captured >= s->require) finish(g, CAPTURES);
  else if (took && g->phase == CAT1) g->phase = CAT2;
  else begin_mice(s, g);
}

/* Apply a code that is not a mouse's move: code 5 * size + other, or other < 0 to put a mouse on a cell. */
static void decide(const stage *s, game *g, int32_t cell, int32_t other) {
  if (other < 0) {
    g->mice++;
    arrive(s, g, cell, g->phase);
  } else if (g->phase == REACT) react(s, g, other == 5);
  else if (other > 0) move_cat(s, g, other - 1);
  else if (g->phase == PLACE) end_turn(s, g);
  else if (g->phase == ADD) resume(s, g, ADD);
  else begin_mice(s, g);
}

/* Play the codes of each step, one per game. */
int64_t play(const stage *s, game *games, const int32_t *codes, int64_t steps, int64_t n) {
  for (int64_t step = 0; step < steps; step++, codes += n)
    for (int64_t i = 0; i < n; i++) {
      int32_t code = codes[i], cell = (int32_t)((uint32_t)code / 5);
      if (games[i].phase == MOVE) move(s, games + i, cell, code - 5 * cell);
      else decide(s, games + i, cell, code - 5 * s->size);
    }
  return steps * n;
}

static inline void random_move(const stage *s, game *g, uint64_t *rng) {
  uint32_t n = below(rng, (uint32_t)g->ways), way = 0;
  int32_t found = 0;
  for (int32_t word = 0; word < WORDS; word++)
    for (uint64_t cells = g->unmoved[word]; cells; cells &= cells - 1) { /* no early exit: no branch depends on n */
      int32_t cell = 64 * word + __builtin_ctzll(cells), here = n < s->count[cell];
      found = here ? cell : found;
      way = here ? n : way;
      n -= s->count[cell];
    }
  move(s, g, found, s->nth[s->ways[found]][way]);
}

static void random_other(const stage *s, game *g, uint64_t *rng) {
  int32_t n, count = 0, ways;
  uint64_t cells;
  if (g->phase == CAT1 || g->phase == CAT2) {
    ways = 1 | s->ways[g->cat] % 16 * 2;
    for (n = (int32_t)below(rng, (uint32_t)__builtin_popcount((unsigned)ways)); n > 0; n--) ways &= ways - 1;
    decide(s, g, 0, __builtin_ctz((unsigned)ways));
  } else if (g->phase == REACT) decide(s, g, 0, below(rng, 2) ? 5 : 0);
  else {
    for (int32_t word = s->first; word < s->last; word++) count += __builtin_popcountll(open_zone(s, g, word));
    n = (int32_t)below(rng, (uint32_t)(count + (g->phase == ADD || g->mice + g->captured > 0)));
    if (n == count) {
      decide(s, g, 0, 0);
      return;
    }
    for (int32_t word = s->first;; word++)
      for (cells = open_zone(s, g, word); cells; cells &= cells - 1)
        if (n-- == 0) {
          decide(s, g, 64 * word + __builtin_ctzll(cells), -1);
          return;
        }
  }
}

/* Play random games to the end; return the number of decisions. */
int64_t playout(const stage *s, game *games, uint64_t *rngs, int64_t n) {
  int64_t count = 0;
  for (int64_t i = 0; i < n; i++)
    for (; games[i].phase != OVER; count++)
      if (games[i].phase == MOVE) random_move(s, games + i, rngs + i);
      else random_other(s, games + i, rngs + i);
  return count;
}
