/* The floor of CHaser: a method on a field of 15 x 17 cells, with its end tests, and whole random games of this kind.
 *
 * A row is a word: bit x + 1 is set if column x is no block, bit x + 33 if there is an item. A ring of blocks surrounds
 * the field, so that no test needs the edge. As in the engine, most methods are quiet: they add no block and walk into
 * none, so that nobody can have lost. Left out: other fields, the check of the action, and what players see and
 * remember.
 */
#include <stdint.h>

enum { HEIGHT = 15, WIDTH = 17, ROW = 32, LAST_HALF = 200 }; /* a place is (y + 1) * ROW + x + 1 */
enum { BLOCK, FLOOR, ITEM };                                  /* kinds of cells */
enum { WALK = 0, PUT = 12 };                                  /* actions, + direction */
enum { LOUD = 1 << (WALK + BLOCK) | 1 << (WALK + ITEM) | 1 << (PUT + FLOOR) | 1 << (PUT + ITEM) };
enum { ONGOING = -1, DRAW = 2 };
enum { ATTACK = 1, TRAPPED, COLLISION, CONFINED, SCORE = 6 };

typedef struct {
  int16_t half, place[2], items[2];
  int8_t winner, reason;
  uint32_t unused;
  uint64_t rows[HEIGHT + 2];
} Game;

static const int steps[4] = {-ROW, 1, -1, ROW};

static inline uint64_t at(const Game *game, int place) { return game->rows[place / ROW] >> place % ROW; }

static inline int is_block(const Game *game, int place) { return !(at(game, place) & 1); }

/* Return whether all neighbours of a cell of the field are blocks. */
static inline int is_boxed(const Game *game, int place) {
  return !((at(game, place - 1) & 5) | ((at(game, place - ROW) | at(game, place + ROW)) & 1));
}

static int end(Game *game, int winner, int reason) {
  game->winner = (int8_t)winner;
  game->reason = (int8_t)reason;
  return 1;
}

/* Return the result after the last method. */
static int judge(Game *game) {
  const int o = game->half & 1, p = 1 - o;
  if (is_block(game, game->place[o])) return end(game, p, ATTACK);
  if (is_boxed(game, game->place[o])) return end(game, p, TRAPPED);
  if (is_block(game, game->place[p])) return end(game, o, COLLISION);
  if (is_boxed(game, game->place[p])) return end(game, o, CONFINED);
  return end(game, game->items[0] == game->items[1] ? DRAW : game->items[1] > game->items[0], SCORE);
}

/* Play a method that adds a block, walks into one, or is the last; return whether the game is over. */
static __attribute__((noinline)) int play_loud(Game *game, int action, int here, int target) {
  const int p = game->half & 1, walks = action < 4, own = walks ? target : here;
  const uint64_t cell = at(game, target);
  int lost = walks && !(cell & 1);
  game->place[p] = (int16_t)own;
  if (LOUD >> ((action & 12) + (cell & 1) + (cell >> 32 & 1)) & cell & 1) { /* a new block */
    game->rows[target / ROW] ^= ((cell & (uint64_t)1 << 32) | !walks) << target % ROW;
    game->rows[here / ROW] ^= (uint64_t)walks << here % ROW;
    game->items[p] = (int16_t)(game->items[p] + walks);
    lost = is_block(game, game->place[1 - p]) || is_boxed(game, game->place[1 - p]) || is_boxed(game, own);
  }
  game->half++;
  return lost || game->half == LAST_HALF ? judge(game) : 0;
}

/* Play a method; return whether the game is over. */
static inline int play(Game *game, int action) {
  const int half = game->half + 1, p = game->half & 1, here = game->place[p], step = steps[action & 3];
  const uint64_t cell = at(game, here + step);
  if (LOUD >> ((action & 12) + (cell & 1) + (cell >> 32 & 1)) & 1 || half == LAST_HALF)
    return play_loud(game, action, here, here + step);
  game->place[p] = (int16_t)(here + (action < 4 ? step : 0));
  game->half = (int16_t)half;
  return 0;
}

/* Play one action in each game; return the number of games that go on. */
int64_t turn(Game *games, const int32_t *actions, int64_t count) {
  int64_t going = 0;
  for (int64_t i = 0; i < count; i++) going += !play(&games[i], actions[i]);
  return going;
}

/* Play random methods to the end of each game, by its own SplitMix64; return their number. */
int64_t playout(Game *games, uint64_t *rngs, int64_t count) {
  int64_t plies = 0;
  for (int64_t i = 0; i < count; i++) {
    uint64_t rng = rngs[i];
    int over = 0;
    while (!over) {
      uint64_t z = rng += 0x9E3779B97F4A7C15u;
      z = (z ^ z >> 30) * 0xBF58476D1CE4E5B9u;
      z = (z ^ z >> 27) * 0x94D049BB133111EBu;
      over = play(&games[i], (int)((z ^ z >> 31) >> 60));
      plies++;
    }
    rngs[i] = rng;
  }
  return plies;
}
