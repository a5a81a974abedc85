/* The floor of BattleShipGame: a command on a map of 5 x 5 panels, for two players with three ships each and every
 * original rule in force (the default options), and whole random games of this kind.
 *
 * A set of panels is one word, and so are the ships of a player that live, are in stealth, have surfaced, are out of
 * fuel, or are of one class; four 16-bit values of a player are compared at once. Moves that are barred or cannot be
 * paid are looked up. Left out: other sizes, players, missions and options; the check of the command; events, and the
 * players' memory; the numbers of torpedoes, which only events report.
 */
#include <stdint.h>
#include <string.h>

#include "draw.h"
#ifdef __BMI2__
#include <immintrin.h>
#endif

enum { SIDE = 5, PANELS = SIDE * SIDE, SHIPS = 3, FLIGHTS = 8, REACH = 4, MOVES = 4 * REACH, ALL = (1 << PANELS) - 1 };
enum { MAX_FP = 150 };
enum { BATTLESHIP, DESTROYER, SUBMARINE, OILER };
enum { REEF, SHALLOWS, FOG, WAVE };
enum { SETUP, PLAY, OVER };
enum { PICKING, FLAGGING, PLACING };
enum { BY_VICTORY, BY_FUEL, BY_STALL, BY_MUTUAL = 5 };
enum { PASS, RESIGN, ATTACK, MOVE = ATTACK + 9 * SHIPS, LAY = MOVE + MOVES * SHIPS, TORPEDO = LAY + 9 * SHIPS };
enum { REINFORCE = TORPEDO + PANELS * SHIPS, PICK = REINFORCE + PANELS * SHIPS + SHIPS, PLACE = PICK + 4 };

typedef struct {
  uint64_t rng;
  uint32_t known[2], land[4], mined; /* mined: panels with anybody's mine */
  int16_t fp[2][4], least[2][4];     /* least: FP with which the ship can act; the fourth ship is none */
  int32_t round, turns;
  int16_t pass_run, torp_next[2], dealt[2], kills[2];
  int8_t cls[2][4], pos[2][4], hp[2][4], aux[2][4];
  uint8_t alive[2], stealth[2], surfaced[2], out[2], oilers[2], subs[2]; /* sets of ships */
  int8_t phase, setup_kind, setup_i, cur, ptr, order[2], torp_n[2], reinf_left[2], qual[2], active[2], winners, reason;
  int8_t torp_pos[2][FLIGHTS], torp_tgt[2][FLIGHTS];
  uint8_t mines[2][PANELS];
} Game;

static const int max_hp[4] = {3, 2, 1, 2}, max_aux[4] = {0, 2, 3, 0}, max_fp[4] = {100, 100, 100, 150};
static const int attack_fp[4] = {10, 12, 16, 50}, least[4] = {10, 8, 10, 10};
static const int move_fp[4][REACH + 1] = {
    {0, 16, 16, 16, 20}, {0, 8, 8, 8, 10}, {0, 10, 10, 10, 10}, {0, 10, 10, 10, 10}};
static const int step[9] = {-5, -4, 1, 6, 5, 4, -1, -6, 0};

static struct {
  uint32_t near[PANELS];           /* neighbouring panels */
  uint16_t ways[PANELS];           /* direction bits that lead to a panel; the last entry is the panel itself */
  uint16_t rays[PANELS];           /* moves, REACH bits per direction */
  uint16_t bars[2][SIDE][1 << SIDE]; /* moves from a place in its row or column that the panels of it bar */
  uint16_t paid[4][MAX_FP + 1];    /* moves that a class can pay */
} map;

__attribute__((constructor)) static void make_map(void) {
  static const int dx[9] = {0, 1, 1, 1, 0, -1, -1, -1, 0}, dy[9] = {-1, -1, 0, 1, 1, 1, 0, -1, 0};
  for (int q = 0; q < PANELS; q++)
    for (int d = 0; d < 9; d++)
      for (int n = 1; n <= (d < 8 && d % 2 == 0 ? REACH : 1); n++) {
        const int x = q % SIDE + n * dx[d], y = q / SIDE + n * dy[d], r = y * SIDE + x;
        if (x < 0 || x >= SIDE || y < 0 || y >= SIDE) continue;
        if (n == 1) map.ways[q] |= (uint16_t)(1 << d);
        if (n == 1 && d < 8) map.near[q] |= 1u << r;
        if (d == 8 || d % 2) continue;
        map.rays[q] |= (uint16_t)(1 << (REACH * (d / 2) + n - 1));
      }
  for (int d = 0; d < 4; d++)
    for (int at = 0; at < SIDE; at++)
      for (int line = 0; line < 1 << SIDE; line++)
        for (int n = 1; n <= REACH; n++) {
          const int up = d == 1 || d == 2, to = up ? at + n : at - n, low = up ? at + 1 : to, high = up ? to : at - 1;
          if (to >= 0 && to < SIDE && line & ((2 << high) - (1 << low)))
            map.bars[d % 2 == 0][at][line] |= (uint16_t)(1 << (REACH * d + n - 1));
        }
  for (int cls = 0; cls < 4; cls++)
    for (int fp = 0; fp <= MAX_FP; fp++)
      for (int n = 1; n <= REACH; n++)
        if (move_fp[cls][n] <= fp) map.paid[cls][fp] |= (uint16_t)(0x1111 << (n - 1));
}

static int nth(uint32_t set, int n) {
#ifdef __BMI2__
  return __builtin_ctz(_pdep_u32(1u << n, set));
#else
  while (n-- > 0) set &= set - 1;
  return __builtin_ctz(set);
#endif
}

/* The panels of a column, in its order. */
static unsigned column(uint32_t panels, int x) { return ((panels >> x & 0x0108421) * 0x11111 >> 16) & 31; }

static int has(uint32_t set, int q) { return set >> q & 1; }

/* The ships on the panels. */
static unsigned on(uint32_t panels, const int8_t *pos) {
  return (panels >> pos[0] & 1) | (panels >> pos[1] & 1) << 1 | (panels >> pos[2] & 1) << 2;
}

/* The ships with less FP than this; all values are below 2^15. */
static unsigned below4(const int16_t *fp, uint64_t limits) {
  const uint64_t highs = 0x8000800080008000ull;
  uint64_t words;
  memcpy(&words, fp, 8);
  words = (~((words | highs) - limits) & highs) >> 15;
  return (words | words >> 15 | words >> 30) & 7;
}

/* The ships that can neither attack nor move. */
static unsigned poor(const Game *g, int p) {
  uint64_t limits;
  memcpy(&limits, g->least[p], 8);
  return below4(g->fp[p], limits);
}

/* The living ships, except Oilers that cannot attack. */
static unsigned counting(const Game *g, int p) {
  return g->alive[p] & ~(g->oilers[p] & below4(g->fp[p], 0x0032003200320032ull));
}

static void sink(Game *g, int p, unsigned ships) {
  const uint8_t others = (uint8_t)~ships;
  g->alive[p] &= others, g->stealth[p] &= others, g->surfaced[p] &= others, g->out[p] &= others;
}

static void finish(Game *g, int winners, int reason) {
  g->phase = OVER;
  g->winners = (int8_t)winners;
  g->reason = (int8_t)reason;
}

static void remove_player(Game *g, int p) {
  g->qual[p] = g->active[p] = g->torp_n[p] = 0;
  sink(g, p, 7);
  memset(g->hp[p], 0, SHIPS);
  memset(g->torp_pos[p], 0, FLIGHTS);
  memset(g->torp_tgt[p], 0, FLIGHTS);
}

static void judge(Game *g) {
  const int before = g->qual[0] | g->qual[1] << 1;
  const int sides = before & ((counting(g, 0) != 0) | (counting(g, 1) != 0) << 1);
  if (sides == 3) return;
  for (int p = 0; p < 2; p++) {
    g->qual[p] = sides >> p & 1;
    if (g->active[p] && !g->qual[p] && !(g->alive[p] & ~poor(g, p))) remove_player(g, p);
  }
  if (sides)
    finish(g, sides, BY_VICTORY);
  else
    finish(g, before | g->active[0] | g->active[1] << 1, BY_MUTUAL);
}

static int take_mine(Game *g, int q) { /* returns its owner, or -1 */
  const int next = g->order[1 - g->ptr];
  if (!has(g->mined, q)) return -1;
  const int owner = g->mines[next][q] ? next : 1 - next;
  g->mines[owner][q]--;
  g->mined &= ~((uint32_t) !(g->mines[0][q] | g->mines[1][q]) << q);
  return owner;
}

static int explode(Game *g, int p, int q) {
  const int8_t *pos = g->pos[1 - p];
  const unsigned hit = ((pos[0] == q) | (pos[1] == q) << 1 | (pos[2] == q) << 2) & g->alive[1 - p];
  g->known[p] |= 1u << q;
  if (hit) {
    g->dealt[p]++;
    if (--g->hp[1 - p][__builtin_ctz(hit)] == 0) g->kills[p]++, sink(g, 1 - p, hit);
  }
  take_mine(g, q);
  return hit != 0;
}

static int touch_mines(Game *g, int p, int s) {
  int damage = 0;
  while (g->hp[p][s] > 0) {
    const int owner = take_mine(g, g->pos[p][s]);
    if (owner < 0) break;
    g->hp[p][s]--;
    damage++;
    if (owner != p) g->dealt[owner]++, g->kills[owner] += g->hp[p][s] == 0;
  }
  if (g->hp[p][s] == 0) sink(g, p, 1u << s);
  return damage;
}

static void move(Game *g, int p, int s, int direction, int steps) {
  int damage = 0, q = g->pos[p][s], fp = g->fp[p][s] - move_fp[g->cls[p][s]][steps];
  for (int n = 1; n <= steps && g->hp[p][s] > 0; n++) {
    const int next = q + step[2 * direction], waves = n > 1 && has(g->land[WAVE], q);
    if (waves && fp < 5) break;
    g->known[p] |= 1u << next;
    if (has(g->land[REEF], next)) break;
    fp -= 5 * waves;
    g->pos[p][s] = (int8_t)(q = next);
    damage += touch_mines(g, p, s);
  }
  g->fp[p][s] = (int16_t)fp;
  if (damage || g->oilers[p] >> s & 1) judge(g);
}

static int reinforce_fp(const Game *g, int fp) {
  const int cost = (fp * (2 + (g->round - 1) / 5) + 5) / 6;
  return cost > 1 ? cost : 1;
}

static void reinforce(Game *g, int p, int s, int q) {
  g->fp[p][s] -= (int16_t)reinforce_fp(g, g->fp[p][s]);
  g->reinf_left[p]--;
  g->hp[p][s] = (int8_t)max_hp[g->cls[p][s]];
  g->aux[p][s] = (int8_t)max_aux[g->cls[p][s]];
  g->pos[p][s] = (int8_t)q;
  g->alive[p] |= (uint8_t)(1 << s);
  g->stealth[p] |= g->subs[p] & (uint8_t)(1 << s);
  touch_mines(g, p, s);
  judge(g);
}

static void fly(Game *g, int p) {
  int8_t *pos = g->torp_pos[p], *target = g->torp_tgt[p];
  for (int n = 0; n < g->torp_n[p];) {
    const int right = target[n] % SIDE - pos[n] % SIDE, down = target[n] / SIDE - pos[n] / SIDE;
    const int across = right < 0 ? -right : right, along = down < 0 ? -down : down;
    int sideways = along == 0;
    if (across * along > 0) sideways = (int)below(&g->rng, (uint32_t)(across + along)) < across;
    pos[n] += (int8_t)((((right > 0) * 2 - 1) & -sideways) | (((down > 0) * 2 * SIDE - SIDE) & (sideways - 1)));
    const int q = pos[n];
    if ((q != target[n]) & !has(g->mined | g->land[REEF], q)) {
      n++;
      continue;
    }
    const int last = --g->torp_n[p];
    memmove(pos + n, pos + n + 1, (size_t)(last - n));
    memmove(target + n, target + n + 1, (size_t)(last - n));
    pos[last] = target[last] = 0;
    if (explode(g, p, q)) judge(g);
    if (g->phase == OVER) return;
  }
}

static int flag_fuel(Game *g, int p) {
  const unsigned out = poor(g, p) & g->alive[p], sinks = out & g->subs[p] & g->stealth[p];
  g->out[p] = (uint8_t)out;
  if (!sinks) return 0;
  sink(g, p, sinks);
  for (int s = 0; s < SHIPS; s++) g->hp[p][s] = (int8_t)(g->hp[p][s] & -!(sinks >> s & 1));
  return 1;
}

static void refuel(Game *g, int p, int oiler, unsigned takers) {
  int16_t *fp = g->fp[p];
  int taker[SHIPS], lacks[SHIPS], gives[SHIPS], ranks[SHIPS], count = 0, needed = 0, lacking = 0;
  const int budget = fp[oiler];
  int rest = budget;
  for (takers &= on(map.near[g->pos[p][oiler]], g->pos[p]); takers; takers &= takers - 1) {
    const int s = __builtin_ctz(takers), lack = max_fp[g->cls[p][s]] - fp[s];
    if (lack == 0) continue;
    taker[count] = s;
    lacks[count++] = lack;
    lacking += lack;
    needed += lack < 30 ? lack : 30;
  }
  for (int n = 0; n < count; n++) {
    const int shared = needed > budget ? budget * lacks[n] / lacking : lacks[n];
    int m = n;
    gives[n] = lacks[n] < 30 ? lacks[n] : 30;
    if (shared < gives[n]) gives[n] = shared;
    rest -= gives[n];
    for (; m > 0 && lacks[ranks[m - 1]] < lacks[n]; m--) ranks[m] = ranks[m - 1];
    ranks[m] = n;
  }
  while (needed > budget && rest > 0)
    for (int m = 0; m < count && rest > 0; m++) {
      const int n = ranks[m], most = lacks[n] < 30 ? lacks[n] : 30;
      if (gives[n] < most) gives[n]++, rest--;
    }
  for (int n = 0; n < count; n++) {
    if (gives[n] == 0) continue;
    fp[taker[n]] += (int16_t)gives[n];
    fp[oiler] -= (int16_t)gives[n];
    g->pass_run = 0;
  }
}

static void end_turn(Game *g, int p) {
  const unsigned alive = g->alive[p], subs = g->subs[p], oilers = g->oilers[p];
  const unsigned up = g->surfaced[p] | on(g->land[SHALLOWS], g->pos[p]);
  const unsigned hidden = (on(g->land[FOG], g->pos[p]) | (subs & ~up)) & alive;
  unsigned waves = on(g->land[WAVE], g->pos[p]) & alive, giving = oilers & alive & ~hidden;
  int changed = waves != 0;
  for (; waves; waves &= waves - 1) {
    int16_t *fp = &g->fp[p][__builtin_ctz(waves)];
    *fp = (int16_t)(*fp > 5 ? *fp - 5 : 0);
  }
  g->stealth[p] = (uint8_t)hidden;
  for (; giving; giving &= giving - 1)
    if (g->fp[p][__builtin_ctz(giving)] > 0) {
      refuel(g, p, __builtin_ctz(giving), alive & ~(oilers | hidden));
      changed = 1;
    }
  if (flag_fuel(g, p) | changed) judge(g);
}

static void adjudicate(Game *g, int reason) {
  int score[2];
  for (int p = 0; p < 2; p++) {
    score[p] = 30 * g->kills[p] + 10 * g->dealt[p];
    for (unsigned left = counting(g, p); left; left &= left - 1) score[p] += 30 + 10 * g->hp[p][__builtin_ctz(left)];
  }
  finish(g, (score[0] >= score[1]) | (score[1] >= score[0]) << 1, reason);
}

static void next_turn(Game *g) {
  if (++g->ptr == 2) g->ptr = 0, g->round++;
  const int p = g->order[g->ptr];
  g->cur = (int8_t)p;
  g->turns++;
  const unsigned divers = g->subs[p] & g->alive[p];
  if (divers) {
    const unsigned fog = on(g->land[FOG], g->pos[p]), up = g->round % 3 == 0 ? divers & ~fog : 0;
    const unsigned hidden = fog | ~(up | on(g->land[SHALLOWS], g->pos[p]));
    g->surfaced[p] = (uint8_t)up;
    g->stealth[p] = (uint8_t)((g->stealth[p] & ~divers) | (hidden & divers));
  }
  if (flag_fuel(g, p)) judge(g);
}

static void after_turn(Game *g) {
  const unsigned goes_on = (g->alive[0] & ~(g->oilers[0] | poor(g, 0))) | (g->alive[1] & ~(g->oilers[1] | poor(g, 1)));
  if (!goes_on)
    adjudicate(g, BY_FUEL);
  else if (g->pass_run >= 2 && !g->torp_n[0] && !g->torp_n[1])
    adjudicate(g, BY_STALL);
  else
    next_turn(g);
}

static void command(Game *g, int code) {
  const int p = g->cur;
  g->pass_run = (int16_t)(code == PASS ? g->pass_run + 1 : 0);
  if (code == RESIGN) {
    remove_player(g, p);
    judge(g);
    return;
  }
  if (code >= REINFORCE) {
    reinforce(g, p, (code - REINFORCE) / PANELS, (code - REINFORCE) % PANELS);
  } else if (code >= TORPEDO) {
    const int s = (code - TORPEDO) / PANELS;
    g->aux[p][s]--;
    g->fp[p][s] -= 20;
    g->torp_pos[p][g->torp_n[p]] = g->pos[p][s];
    g->torp_tgt[p][g->torp_n[p]++] = (int8_t)((code - TORPEDO) % PANELS);
    g->torp_next[p]++;
  } else if (code >= LAY) {
    const int s = (code - LAY) / 9, q = g->pos[p][s] + step[(code - LAY) % 9];
    g->aux[p][s]--;
    g->mines[p][q]++;
    g->mined |= 1u << q;
  } else if (code >= MOVE) {
    code -= MOVE;
    move(g, p, code / MOVES, code % MOVES / REACH, code % REACH + 1);
  } else if (code >= ATTACK) {
    const int s = (code - ATTACK) / 9;
    g->fp[p][s] -= (int16_t)attack_fp[g->cls[p][s]];
    if (explode(g, p, g->pos[p][s] + step[(code - ATTACK) % 9]) || g->oilers[p] >> s & 1) judge(g);
  }
  if (g->phase != OVER) fly(g, p);
  if (g->phase != OVER) end_turn(g, p);
  if (g->phase != OVER) after_turn(g);
}

static void start(Game *g) {
  static const int weights[5] = {17, 2, 2, 2, 2};
  uint32_t starts = 0;
  for (int p = 0; p < 2; p++) {
    g->known[p] = 0;
    for (int s = 0; s < SHIPS; s++) {
      const int cls = g->cls[p][s];
      g->hp[p][s] = (int8_t)max_hp[cls];
      g->aux[p][s] = (int8_t)max_aux[cls];
      g->fp[p][s] = (int16_t)max_fp[cls];
      g->least[p][s] = (int16_t)least[cls];
      g->oilers[p] |= (uint8_t)((cls == OILER) << s);
      g->subs[p] |= (uint8_t)((cls == SUBMARINE) << s);
      g->known[p] |= 1u << g->pos[p][s];
    }
    g->alive[p] = 7;
    g->stealth[p] = g->subs[p];
    starts |= g->known[p];
  }
  g->order[0] = (int8_t)(1 - (int)below(&g->rng, 2));
  g->order[1] = (int8_t)(1 - g->order[0]);
  for (int q = 0; q < PANELS; q++) {
    if (has(starts, q)) continue;
    int r = (int)below(&g->rng, 25), terrain = 0;
    while (r >= weights[terrain]) r -= weights[terrain++];
    if (terrain) g->land[terrain - 1] |= 1u << q;
  }
  g->phase = PLAY;
  g->setup_kind = g->setup_i = 0;
  g->round = 1;
  next_turn(g);
}

static int draw(Game *g, uint64_t *rng) {
  const int p = g->cur;
  int attacks[SHIPS], moves[SHIPS], mines[SHIPS], fires[SHIPS], num_attacks = 0, num_moves = 0, num_mines = 0;
  int num_fires = 0, num_back = 0;
  uint32_t barred = g->known[p] & g->land[REEF], back = 0, landings = 0;
  for (int s = 0; s < SHIPS; s++)
    barred |= (uint32_t)(g->alive[p] >> s & 1) << g->pos[p][s];
  for (int s = 0; s < SHIPS; s++) {
    const int q = g->pos[p][s], cls = g->cls[p][s], fp = g->fp[p][s];
    attacks[s] = moves[s] = mines[s] = fires[s] = 0;
    if (!(g->alive[p] >> s & 1)) {
      back |= (uint32_t)(fp >= reinforce_fp(g, fp)) << s;
      continue;
    }
    attacks[s] = map.ways[q] & 0xFF & -(fp >= attack_fp[cls]);
    moves[s] = map.rays[q] & map.paid[cls][fp] & ~map.bars[0][q % SIDE][barred >> q / SIDE * SIDE & 31] &
               ~map.bars[1][q / SIDE][column(barred, q % SIDE)];
    mines[s] = map.ways[q] & -((g->aux[p][s] > 0) & (cls == DESTROYER));
    fires[s] = (g->aux[p][s] > 0) & (fp >= 20);
    num_attacks += __builtin_popcount((unsigned)attacks[s]);
    num_moves += __builtin_popcount((unsigned)moves[s]);
    num_mines += __builtin_popcount((unsigned)mines[s]);
    num_fires += (PANELS - 1) * fires[s];
  }
  if (back && g->reinf_left[p] > 0 && g->round <= 20) {
    landings = g->known[p] & ~barred;
    num_back = __builtin_popcount(back) * __builtin_popcount(landings);
  }
  const int count = num_attacks + num_moves + num_mines + num_fires + num_back;
  int n = (int)below(rng, (uint32_t)(count + 1 + !count)) - 1, s = 0;
  if (count == 0) return n + 1;
  if (n < 0) return RESIGN;
  if (n < num_attacks) {
    for (int here; n >= (here = __builtin_popcount((unsigned)attacks[s])); s++) n -= here;
    return ATTACK + 9 * s + nth((uint32_t)attacks[s], n);
  }
  n -= num_attacks;
  if (n < num_moves) {
    for (int here; n >= (here = __builtin_popcount((unsigned)moves[s])); s++) n -= here;
    return MOVE + MOVES * s + nth((uint32_t)moves[s], n);
  }
  n -= num_moves;
  if (n < num_mines) {
    for (int here; n >= (here = __builtin_popcount((unsigned)mines[s])); s++) n -= here;
    return LAY + 9 * s + nth((uint32_t)mines[s], n);
  }
  n -= num_mines;
  if (n < num_fires) {
    for (; !fires[s] || n >= PANELS - 1; s++) n -= fires[s] ? PANELS - 1 : 0;
    return TORPEDO + PANELS * s + n + (n >= g->pos[p][s]);
  }
  n -= num_fires;
  const int places = __builtin_popcount(landings);
  return REINFORCE + PANELS * nth(back, n / places) + nth(landings, n % places);
}

static void set_up(Game *g, uint64_t *rng) {
  for (int p = 0; p < 2; p++) {
    int8_t *cls = g->cls[p];
    uint32_t taken = 0;
    for (int s = 0; s < SHIPS; s++)
      cls[s] = (int8_t)below(rng, s == 2 && cls[0] == OILER && cls[1] == OILER ? OILER : 4);
    for (int s = 0; s < SHIPS; s++) {
      g->pos[p][s] = (int8_t)nth(ALL & ~taken, (int)below(rng, (uint32_t)(PANELS - s)));
      taken |= 1u << g->pos[p][s];
    }
  }
  start(g);
}

/* Play one command in each game, all of which are running; return the number of games that go on. */
int64_t turn(Game *games, const int32_t *commands, int64_t count) {
  int64_t going = 0;
  for (int64_t i = 0; i < count; i++) {
    command(&games[i], commands[i]);
    going += games[i].phase != OVER;
  }
  return going;
}

/* Play random games from before the first decision to the end, by each game's SplitMix64; return the commands. */
int64_t playout(Game *games, uint64_t *rngs, int64_t count) {
  int64_t plies = 0;
  for (int64_t i = 0; i < count; i++) {
    Game *g = &games[i];
    uint64_t rng = rngs[i];
    set_up(g, &rng);
    for (plies += 4 * SHIPS; g->phase != OVER; plies++) command(g, draw(g, &rng));
    rngs[i] = rng;
  }
  return plies;
}
