/* The floor of BattleShipGame: a command on a map of 5 x 5 panels, two players with three ships each and every original
 * rule in force (the default options), and whole random games of such.
 *
 * A set of panels is one word, a ship eight bytes. Left out: other sizes, players, missions and options; the check of
 * the command; events, and what players remember; the numbers of torpedoes, of which only events tell.
 */
#include <stdint.h>
#include <string.h>

#include "draw.h"

enum { SIDE = 5, PANELS = SIDE * SIDE, SHIPS = 3, FLIGHTS = 8, REACH = 4, MOVES = 4 * REACH, ALL = (1 << PANELS) - 1 };
enum { BATTLESHIP, DESTROYER, SUBMARINE, OILER };
enum { STEALTH = 1, SURFACED = 2, FUEL_OUT = 4 };
enum { REEF, SHALLOWS, FOG, WAVE };
enum { SETUP, PLAY, OVER };
enum { PICKING, FLAGGING, PLACING };
enum { BY_VICTORY, BY_FUEL, BY_STALL, BY_MUTUAL = 5 };
enum { PASS, RESIGN, ATTACK, MOVE = ATTACK + 9 * SHIPS, LAY = MOVE + MOVES * SHIPS, TORPEDO = LAY + 9 * SHIPS };
enum { REINFORCE = TORPEDO + PANELS * SHIPS, PICK = REINFORCE + PANELS * SHIPS + SHIPS, PLACE = PICK + 4 };

typedef struct {
  int16_t fp;
  int8_t cls, pos, hp, aux;
  uint8_t flags, padding;
} Ship;

typedef struct {
  uint64_t rng;
  uint32_t known[2], land[4];
  Ship ships[2][SHIPS];
  int32_t round, turns;
  int16_t pass_run, torp_next[2], dealt[2], kills[2];
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
  uint32_t near[PANELS];           /* the panels around */
  uint16_t ways[PANELS];           /* bits of the directions that lead to one; the last is the panel itself */
  uint16_t rays[PANELS];           /* moves, REACH bits a direction */
  uint16_t shadow[PANELS][PANELS]; /* those that something on the second panel bars */
  uint32_t cross[PANELS];
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
        map.cross[q] |= 1u << r;
        map.shadow[q][r] = (uint16_t)(((1 << REACH) - (1 << (n - 1))) << REACH * (d / 2));
      }
}

static int nth(uint32_t set, int n) {
  while (n-- > 0) set &= set - 1;
  return __builtin_ctz(set);
}

static int has(uint32_t set, int q) { return set >> q & 1; }

static int is_out(const Ship *ship) { return ship->fp < least[ship->cls]; }

static int counts(const Ship *ship) { return ship->hp > 0 && (ship->cls != OILER || ship->fp >= attack_fp[OILER]); }

static void finish(Game *g, int winners, int reason) {
  g->phase = OVER;
  g->winners = (int8_t)winners;
  g->reason = (int8_t)reason;
}

static void remove_player(Game *g, int p) {
  g->qual[p] = g->active[p] = g->torp_n[p] = 0;
  for (int s = 0; s < SHIPS; s++) g->ships[p][s].hp = 0, g->ships[p][s].flags = 0;
  memset(g->torp_pos[p], 0, FLIGHTS);
  memset(g->torp_tgt[p], 0, FLIGHTS);
}

static void judge(Game *g) {
  const int before = g->qual[0] | g->qual[1] << 1;
  int sides = before;
  for (int p = 0; p < 2; p++) {
    const Ship *s = g->ships[p];
    if (!(counts(s) | counts(s + 1) | counts(s + 2))) sides &= ~(1 << p);
  }
  if (sides == 3) return;
  for (int p = 0; p < 2; p++) {
    g->qual[p] = sides >> p & 1;
    int is_able = g->qual[p];
    for (int s = 0; s < SHIPS; s++) is_able |= g->ships[p][s].hp > 0 && !is_out(&g->ships[p][s]);
    if (g->active[p] && !is_able) remove_player(g, p);
  }
  if (sides)
    finish(g, sides, BY_VICTORY);
  else
    finish(g, before | g->active[0] | g->active[1] << 1, BY_MUTUAL);
}

static int take_mine(Game *g, int q) { /* whose it was, or -1 */
  const int next = g->order[1 - g->ptr];
  if (!(g->mines[0][q] | g->mines[1][q])) return -1;
  const int owner = g->mines[next][q] ? next : 1 - next;
  g->mines[owner][q]--;
  return owner;
}

static int explode(Game *g, int p, int q) {
  int was_hit = 0;
  g->known[p] |= 1u << q;
  for (int s = 0; s < SHIPS; s++) {
    Ship *ship = &g->ships[1 - p][s];
    if (ship->pos != q || ship->hp == 0) continue;
    was_hit = 1;
    g->dealt[p]++;
    if (--ship->hp == 0) g->kills[p]++, ship->flags = 0;
  }
  take_mine(g, q);
  return was_hit;
}

static int touch_mines(Game *g, int p, Ship *ship) {
  int damage = 0;
  while (ship->hp > 0) {
    const int owner = take_mine(g, ship->pos);
    if (owner < 0) break;
    ship->hp--;
    damage++;
    if (owner != p) g->dealt[owner]++, g->kills[owner] += ship->hp == 0;
  }
  if (ship->hp == 0) ship->flags = 0;
  return damage;
}

static void move(Game *g, int p, Ship *ship, int direction, int steps) {
  int damage = 0;
  ship->fp -= (int16_t)move_fp[ship->cls][steps];
  for (int n = 1; n <= steps && ship->hp > 0; n++) {
    const int next = ship->pos + step[2 * direction], waves = n > 1 && has(g->land[WAVE], ship->pos);
    if (waves && ship->fp < 5) break;
    g->known[p] |= 1u << next;
    if (has(g->land[REEF], next)) break;
    if (waves) ship->fp -= 5;
    ship->pos = (int8_t)next;
    damage += touch_mines(g, p, ship);
  }
  if (damage || ship->cls == OILER) judge(g);
}

static int reinforce_fp(const Game *g, int fp) {
  const int cost = (fp * (2 + (g->round - 1) / 5) + 5) / 6;
  return cost > 1 ? cost : 1;
}

static void reinforce(Game *g, int p, Ship *ship, int q) {
  ship->fp -= (int16_t)reinforce_fp(g, ship->fp);
  g->reinf_left[p]--;
  ship->hp = (int8_t)max_hp[ship->cls];
  ship->aux = (int8_t)max_aux[ship->cls];
  ship->pos = (int8_t)q;
  ship->flags = ship->cls == SUBMARINE ? STEALTH : 0;
  touch_mines(g, p, ship);
  judge(g);
}

static void fly(Game *g, int p) {
  int8_t *pos = g->torp_pos[p], *target = g->torp_tgt[p];
  for (int n = 0; n < g->torp_n[p];) {
    const int right = target[n] % SIDE - pos[n] % SIDE, down = target[n] / SIDE - pos[n] / SIDE;
    const int across = right < 0 ? -right : right, along = down < 0 ? -down : down;
    if (along == 0 || (across > 0 && (int)below(&g->rng, (uint32_t)(across + along)) < across))
      pos[n] += right > 0 ? 1 : -1;
    else
      pos[n] += down > 0 ? SIDE : -SIDE;
    const int q = pos[n];
    if (q != target[n] && !(g->mines[0][q] | g->mines[1][q]) && !has(g->land[REEF], q)) {
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

static void update_stealth(const Game *g, Ship *ship) {
  const int hides = ship->cls == SUBMARINE && !(ship->flags & SURFACED) && !has(g->land[SHALLOWS], ship->pos);
  ship->flags = (uint8_t)((ship->flags & ~STEALTH) | (hides | has(g->land[FOG], ship->pos)));
}

static int flag_fuel(Ship *ships) {
  int has_sunk = 0;
  for (int s = 0; s < SHIPS; s++) {
    Ship *ship = &ships[s];
    if (ship->hp == 0) continue;
    if (!is_out(ship)) {
      ship->flags &= (uint8_t)~FUEL_OUT;
      continue;
    }
    ship->flags |= FUEL_OUT;
    if (ship->cls == SUBMARINE && ship->flags & STEALTH) ship->hp = 0, ship->flags = 0, has_sunk = 1;
  }
  return has_sunk;
}

static void refuel(Game *g, Ship *ships, Ship *oiler) {
  Ship *taker[SHIPS];
  int lacks[SHIPS], gives[SHIPS], ranks[SHIPS], count = 0, needed = 0, lacking = 0;
  const int budget = oiler->fp;
  int rest = budget;
  for (int s = 0; s < SHIPS; s++) {
    Ship *ship = &ships[s];
    if (ship->hp == 0 || ship->cls == OILER || ship->flags & STEALTH || !has(map.near[oiler->pos], ship->pos)) continue;
    const int lack = max_fp[ship->cls] - ship->fp;
    if (lack == 0) continue;
    taker[count] = ship;
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
    taker[n]->fp += (int16_t)gives[n];
    oiler->fp -= (int16_t)gives[n];
    g->pass_run = 0;
  }
}

static void end_turn(Game *g, int p) {
  Ship *ships = g->ships[p];
  int changed = 0;
  for (int s = 0; s < SHIPS; s++) {
    Ship *ship = &ships[s];
    if (ship->hp == 0) continue;
    if (has(g->land[WAVE], ship->pos)) {
      ship->fp = (int16_t)(ship->fp > 5 ? ship->fp - 5 : 0);
      changed = 1;
    }
    update_stealth(g, ship);
  }
  for (int s = 0; s < SHIPS; s++)
    if (ships[s].cls == OILER && ships[s].hp > 0 && ships[s].fp > 0 && !(ships[s].flags & STEALTH)) {
      refuel(g, ships, &ships[s]);
      changed = 1;
    }
  if (flag_fuel(ships) | changed) judge(g);
}

static void adjudicate(Game *g, int reason) {
  int score[2];
  for (int p = 0; p < 2; p++) {
    score[p] = 30 * g->kills[p] + 10 * g->dealt[p];
    for (int s = 0; s < SHIPS; s++)
      if (counts(&g->ships[p][s])) score[p] += 30 + 10 * g->ships[p][s].hp;
  }
  finish(g, (score[0] >= score[1]) | (score[1] >= score[0]) << 1, reason);
}

static void next_turn(Game *g) {
  if (++g->ptr == 2) g->ptr = 0, g->round++;
  const int p = g->order[g->ptr];
  g->cur = (int8_t)p;
  g->turns++;
  for (int s = 0; s < SHIPS; s++) {
    Ship *ship = &g->ships[p][s];
    if (ship->cls != SUBMARINE || ship->hp == 0) continue;
    ship->flags &= (uint8_t)~SURFACED;
    if (g->round % 3 == 0 && !has(g->land[FOG], ship->pos)) ship->flags |= SURFACED;
    update_stealth(g, ship);
  }
  if (flag_fuel(g->ships[p])) judge(g);
}

static void after_turn(Game *g) {
  int goes_on = 0;
  for (int i = 0; i < 2 * SHIPS; i++) {
    const Ship *ship = &g->ships[0][0] + i;
    goes_on |= ship->hp > 0 && ship->cls != OILER && !is_out(ship);
  }
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
    reinforce(g, p, &g->ships[p][(code - REINFORCE) / PANELS], (code - REINFORCE) % PANELS);
  } else if (code >= TORPEDO) {
    Ship *ship = &g->ships[p][(code - TORPEDO) / PANELS];
    ship->aux--;
    ship->fp -= 20;
    g->torp_pos[p][g->torp_n[p]] = ship->pos;
    g->torp_tgt[p][g->torp_n[p]++] = (int8_t)((code - TORPEDO) % PANELS);
    g->torp_next[p]++;
  } else if (code >= LAY) {
    Ship *ship = &g->ships[p][(code - LAY) / 9];
    ship->aux--;
    g->mines[p][ship->pos + step[(code - LAY) % 9]]++;
  } else if (code >= MOVE) {
    code -= MOVE;
    move(g, p, &g->ships[p][code / MOVES], code % MOVES / REACH, code % REACH + 1);
  } else if (code >= ATTACK) {
    Ship *ship = &g->ships[p][(code - ATTACK) / 9];
    ship->fp -= (int16_t)attack_fp[ship->cls];
    if (explode(g, p, ship->pos + step[(code - ATTACK) % 9]) || ship->cls == OILER) judge(g);
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
      Ship *ship = &g->ships[p][s];
      ship->hp = (int8_t)max_hp[ship->cls];
      ship->aux = (int8_t)max_aux[ship->cls];
      ship->fp = (int16_t)max_fp[ship->cls];
      ship->flags = ship->cls == SUBMARINE ? STEALTH : 0;
      g->known[p] |= 1u << ship->pos;
    }
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
  Ship *ships = g->ships[g->cur];
  int attacks[SHIPS], moves[SHIPS], mines[SHIPS], fires[SHIPS], num_attacks = 0, num_moves = 0, num_mines = 0;
  int num_fires = 0, num_back = 0;
  uint32_t barred = g->known[g->cur] & g->land[REEF], back = 0, landings = 0;
  for (int s = 0; s < SHIPS; s++)
    if (ships[s].hp > 0) barred |= 1u << ships[s].pos;
  for (int s = 0; s < SHIPS; s++) {
    const Ship *ship = &ships[s];
    const int q = ship->pos;
    attacks[s] = moves[s] = mines[s] = fires[s] = 0;
    if (ship->hp == 0) {
      back |= (uint32_t)(ship->fp >= reinforce_fp(g, ship->fp)) << s;
      continue;
    }
    if (ship->fp >= attack_fp[ship->cls]) attacks[s] = map.ways[q] & 0xFF;
    int reach = REACH;
    while (reach > 0 && move_fp[ship->cls][reach] > ship->fp) reach--;
    moves[s] = map.rays[q] & 0x1111 * ((1 << reach) - 1);
    for (uint32_t ahead = barred & map.cross[q]; ahead; ahead &= ahead - 1)
      moves[s] &= ~map.shadow[q][__builtin_ctz(ahead)];
    if (ship->aux > 0) {
      if (ship->cls == DESTROYER) mines[s] = map.ways[q];
      fires[s] = ship->fp >= 20;
    }
    num_attacks += __builtin_popcount((unsigned)attacks[s]);
    num_moves += __builtin_popcount((unsigned)moves[s]);
    num_mines += __builtin_popcount((unsigned)mines[s]);
    num_fires += (PANELS - 1) * fires[s];
  }
  if (back && g->reinf_left[g->cur] > 0 && g->round <= 20) {
    landings = g->known[g->cur] & ~barred;
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
    return TORPEDO + PANELS * s + n + (n >= ships[s].pos);
  }
  n -= num_fires;
  const int places = __builtin_popcount(landings);
  return REINFORCE + PANELS * nth(back, n / places) + nth(landings, n % places);
}

static void set_up(Game *g, uint64_t *rng) {
  for (int p = 0; p < 2; p++) {
    Ship *ships = g->ships[p];
    uint32_t taken = 0;
    for (int s = 0; s < SHIPS; s++)
      ships[s].cls = (int8_t)below(rng, s == 2 && ships[0].cls == OILER && ships[1].cls == OILER ? OILER : 4);
    for (int s = 0; s < SHIPS; s++) {
      ships[s].pos = (int8_t)nth(ALL & ~taken, (int)below(rng, (uint32_t)(PANELS - s)));
      taken |= 1u << ships[s].pos;
    }
  }
  start(g);
}

/* One command in each game, which is in play; returns in how many it goes on. */
int64_t turn(Game *games, const int32_t *commands, int64_t count) {
  int64_t going = 0;
  for (int64_t i = 0; i < count; i++) {
    command(&games[i], commands[i]);
    going += games[i].phase != OVER;
  }
  return going;
}

/* Random games from before the first decision to the end, by the SplitMix64 of each; returns how many commands. */
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
