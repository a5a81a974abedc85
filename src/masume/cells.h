/* Sets of up to 128 cells: bit n of a word of 128 bits = cell n. States store them as two uint64_t, low one first. */
#ifndef MASUME_CELLS_H
#define MASUME_CELLS_H
#include <stdint.h>

#include "bits.h"
#include "int128.h"

typedef masume_uint128 cells_t;
typedef uint64_t cells64_t; /* on a board of up to 64 cells */

static inline cells_t cells_load(const uint64_t *words) { return (cells_t)words[1] << 64 | words[0]; }

static inline void cells_store(uint64_t *words, cells_t set) {
  words[0] = (uint64_t)set;
  words[1] = (uint64_t)(set >> 64);
}

/* The set of one cell, 0 <= cell < 128. */
static inline cells_t cells_one(int32_t cell) { return (cells_t)1 << cell; }

/* The cells 0..n-1, 0 <= n < 128. */
static inline cells_t cells_below(int32_t n) { return ((cells_t)1 << n) - 1; }

static inline int cells_has(cells_t set, int32_t cell) { return (int)(set >> cell & 1); }

static inline int32_t cells_count(cells_t set) {
  return bits_count64((uint64_t)set) + bits_count64((uint64_t)(set >> 64));
}

/* The lowest cell; set != 0. */
static inline int32_t cells_first(cells_t set) {
  uint64_t low = (uint64_t)set;
  return low ? __builtin_ctzll(low) : 64 + __builtin_ctzll((uint64_t)(set >> 64));
}

/* The k-th cell (k from 0); the set has more than k. */
static inline int32_t cells_select(cells_t set, int32_t k) {
  int32_t low = bits_count64((uint64_t)set);
  return k < low ? bits_select64((uint64_t)set, k) : 64 + bits_select64((uint64_t)(set >> 64), k - low);
}

/* The cells 0..63. */
static inline uint64_t cells_low(cells_t set) { return (uint64_t)set; }

/* The set shifted down by n cells, 0 <= n < 128. */
static inline cells_t cells_down(cells_t set, int32_t n) { return set >> n; }
#endif
