/* A copy of a function table whose functions count the ticks that the game's own ones take: what of a search are rules.
 *
 * Unlike the floors it needs masume's header. A function may call another one of the table: the outermost counts.
 */
#include <string.h>
#include <x86intrin.h>

#include "../../src/masume/game.h"

#define PAUSE 200000 /* ticks: longer calls were interrupted, and are not counted */

static masume_game inner;
static uint64_t ticks, calls;
static int depth;

static void count(uint64_t taken) {
  if (--depth || taken > PAUSE) return;
  ticks += taken;
  calls++;
}

#define CLOCKED(result, name, parameters, arguments) \
  static result name parameters {                    \
    uint64_t began = __rdtsc();                      \
    depth++;                                         \
    result found = inner.name arguments;             \
    count(__rdtsc() - began);                        \
    return found;                                    \
  }
#define CLOCKED_VOID(name, parameters, arguments) \
  static void name parameters {                   \
    uint64_t began = __rdtsc();                   \
    depth++;                                      \
    inner.name arguments;                         \
    count(__rdtsc() - began);                     \
  }
#define TABLE const masume_game *g, const void *s

CLOCKED(int32_t, slots, (TABLE, int32_t *players), (g, s, players))
CLOCKED(int32_t, legal, (TABLE, int32_t slot, int32_t *codes), (g, s, slot, codes))
CLOCKED_VOID(mask, (TABLE, int32_t slot, uint8_t *out), (g, s, slot, out))
CLOCKED_VOID(mask_bits, (TABLE, int32_t slot, uint32_t *out), (g, s, slot, out))
CLOCKED(int32_t, apply, (const masume_game *g, void *s, void *m, const int32_t *codes), (g, s, m, codes))
CLOCKED_VOID(returns, (TABLE, float *out), (g, s, out))
CLOCKED_VOID(scores, (TABLE, int64_t *out), (g, s, out))
CLOCKED(uint64_t, key, (TABLE), (g, s))
CLOCKED(uint64_t, news, (TABLE, const void *m, int32_t player, const int32_t *codes), (g, s, m, player, codes))
CLOCKED_VOID(observe, (TABLE, const void *m, int32_t player, uint32_t fields, void *const *out),
             (g, s, m, player, fields, out))
CLOCKED_VOID(observe_compact,
             (TABLE, const void *m, int32_t player, uint32_t fields, const masume_form *form, void *const *out),
             (g, s, m, player, fields, form, out))
CLOCKED(int32_t, resample, (TABLE, const void *m, int32_t player, uint64_t seed, void *out, void *out_m),
        (g, s, m, player, seed, out, out_m))
CLOCKED(int32_t, draw, (const masume_game *g, void *sampler, uint64_t seed, void *out, void *out_m),
        (g, sampler, seed, out, out_m))

/* Write the copy of a whole table to `out`. */
void clock_table(const masume_game *given, masume_game *out) {
  inner = *out = *given;
#define PUT(name) \
  if (inner.name) out->name = name
  PUT(slots);
  PUT(legal);
  PUT(mask);
  PUT(mask_bits);
  PUT(apply);
  PUT(returns);
  PUT(scores);
  PUT(key);
  PUT(news);
  PUT(observe);
  PUT(observe_compact);
  PUT(resample);
  PUT(draw);
}

/* Write the ticks and calls since the last time. */
void take(uint64_t out[2]) {
  out[0] = ticks;
  out[1] = calls;
  ticks = calls = 0;
}

static int32_t nothing(TABLE, int32_t *players) { return g && s && players; }

/* Write the ticks that are counted for n calls of a function that does nothing, and those that pass. */
void calibrate(int64_t n, uint64_t out[2]) {
  int32_t (*volatile call)(TABLE, int32_t *) = slots;
  int32_t players[MASUME_MAX_SLOTS];
  inner.slots = nothing;
  uint64_t began = __rdtsc();
  for (int64_t k = 0; k < n; k++) call(&inner, &inner, players);
  out[1] = __rdtsc() - began;
  out[0] = ticks;
  ticks = calls = 0;
}
