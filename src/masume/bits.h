/* Sets of cells as words: one uint32_t per board row, bit x = column x. */
#ifndef MASUME_BITS_H
#define MASUME_BITS_H
#include <stdint.h>

/* Number of set bits. Where popcnt may be missing, compilers call a function that takes three times as long. */
static inline int32_t bits_count64(uint64_t word) {
#if defined(__x86_64__) && !defined(__POPCNT__)
  word -= word >> 1 & 0x5555555555555555ull;
  word = (word & 0x3333333333333333ull) + (word >> 2 & 0x3333333333333333ull);
  return (int32_t)(((word + (word >> 4)) & 0x0F0F0F0F0F0F0F0Full) * 0x0101010101010101ull >> 56);
#else
  return __builtin_popcountll(word);
#endif
}

static inline int32_t bits_count(uint32_t word) { return bits_count64(word); }

/* Index of the lowest set bit; word != 0. */
static inline int32_t bits_first(uint32_t word) { return __builtin_ctz(word); }

/* Index of the highest set bit; word != 0. */
static inline int32_t bits_last(uint32_t word) { return 31 - __builtin_clz(word); }

/* Index of the k-th set bit (k from 0); word has more than k. Free of branches: random draws are unpredictable. */
static inline int32_t bits_select64(uint64_t word, int32_t k) {
  const uint64_t ones = 0x0101010101010101ull, highs = 0x8080808080808080ull;
  uint64_t sums = word - (word >> 1 & 0x5555555555555555ull), low;
  int32_t place;
  sums = (sums & 0x3333333333333333ull) + (sums >> 2 & 0x3333333333333333ull);
  sums = ((sums + (sums >> 4)) & 0x0F0F0F0F0F0F0F0Full) * ones; /* byte n: number of set bits in bytes 0..n */
  low = (((uint64_t)k * ones | highs) - sums) & highs;          /* bytes with at most k set bits up to their end */
  place = (int32_t)((low >> 7) * ones >> 56) * 8;
  k -= (int32_t)(sums << 8 >> place & 0xFF);
  sums = ((((word >> place & 0xFF) * ones & 0x8040201008040201ull) + 0x7F7F7F7F7F7F7F7Full) >> 7 & ones) * ones;
  low = (((uint64_t)k * ones | highs) - sums) & highs; /* the same for the bits of that byte */
  return place + (int32_t)((low >> 7) * ones >> 56);
}

static inline int32_t bits_select(uint32_t word, int32_t k) { return bits_select64(word, k); }

/* Set bits of n words; without popcnt, which the portable level lacks, and in a form that compilers vectorize. */
static inline int32_t bits_total(const uint32_t *words, int32_t n) {
  uint32_t total = 0;
  for (int32_t i = 0; i < n; i++) {
    uint32_t x = words[i];
    x -= x >> 1 & 0x55555555u;
    x = (x & 0x33333333u) + (x >> 2 & 0x33333333u);
    x = (x + (x >> 4)) & 0x0F0F0F0Fu;
    x += x >> 8;
    total += (x + (x >> 16)) & 0x3Fu;
  }
  return (int32_t)total;
}

/* Index of the k-th set bit (k from 0) of a row of words, which has more than k. */
static inline int32_t bits_pick(const uint32_t *words, int32_t k) {
  int32_t place = 0, here = bits_total(words, 1);
  while (k >= here) {
    k -= here;
    place += 32;
    words++;
    here = bits_total(words, 1);
  }
  return place + bits_select(*words, k);
}

/* Index of the lowest set bit of 64; word != 0. */
static inline int32_t bits_first64(uint64_t word) { return __builtin_ctzll(word); }

/* Eight bits as eight bytes of 0 or 1, in memory order on little-endian machines. */
static inline uint64_t bits_spread(uint8_t bits) {
  uint64_t found = bits * 0x0101010101010101ull & 0x8040201008040201ull; /* bit n in byte n */
  return (found + 0x7F7F7F7F7F7F7F7Full) >> 7 & 0x0101010101010101ull;
}

/* The lowest n bits, 0 <= n <= 64. */
static inline uint64_t bits_low64(int32_t n) { return n > 0 ? ~0ull >> (64 - n) : 0; }

/* The lowest n bits in reverse order, 1 <= n <= 32. */
static inline uint32_t bits_reverse(uint32_t word, int32_t n) {
  word = (word >> 1 & 0x55555555u) | (word & 0x55555555u) << 1;
  word = (word >> 2 & 0x33333333u) | (word & 0x33333333u) << 2;
  word = (word >> 4 & 0x0F0F0F0Fu) | (word & 0x0F0F0F0Fu) << 4;
  return __builtin_bswap32(word) >> (32 - n);
}

/* Interleave: bit i of `low` becomes bit 2 i, bit i of `high` bit 2 i + 1. */
static inline uint64_t bits_shuffle(uint32_t low, uint32_t high) {
  uint64_t a = low, b = high;
  a = (a | a << 16) & 0x0000FFFF0000FFFFull, b = (b | b << 16) & 0x0000FFFF0000FFFFull;
  a = (a | a << 8) & 0x00FF00FF00FF00FFull, b = (b | b << 8) & 0x00FF00FF00FF00FFull;
  a = (a | a << 4) & 0x0F0F0F0F0F0F0F0Full, b = (b | b << 4) & 0x0F0F0F0F0F0F0F0Full;
  a = (a | a << 2) & 0x3333333333333333ull, b = (b | b << 2) & 0x3333333333333333ull;
  a = (a | a << 1) & 0x5555555555555555ull, b = (b | b << 1) & 0x5555555555555555ull;
  return a | b << 1;
}

/* Bits 2 i to bit i, bits 2 i + 1 to bit 16 + i: the inverse, for 16 bits each. */
static inline uint32_t bits_unshuffle(uint32_t word) {
  uint64_t x = (word & 0x55555555ull) | (word >> 1 & 0x55555555ull) << 32;
  x = (x | x >> 1) & 0x3333333333333333ull;
  x = (x | x >> 2) & 0x0F0F0F0F0F0F0F0Full;
  x = (x | x >> 4) & 0x00FF00FF00FF00FFull;
  x = (x | x >> 8) & 0x0000FFFF0000FFFFull;
  return (uint32_t)(x | x >> 16);
}

/* Number of set bits of `low` and of `high`, each as two parts of 16 bits, so that such words can be added up.
 * bits_sum returns the total of `low`, or, for the word shifted right by 32, of `high`. */
static inline uint64_t bits_count_both(uint32_t low, uint32_t high) {
  uint64_t x = low | (uint64_t)high << 32;
  x -= x >> 1 & 0x5555555555555555ull;
  x = (x & 0x3333333333333333ull) + (x >> 2 & 0x3333333333333333ull);
  x = (x + (x >> 4)) & 0x0F0F0F0F0F0F0F0Full;
  return (x + (x >> 8)) & 0x00FF00FF00FF00FFull;
}
static inline int32_t bits_sum(uint64_t counts) { return (int32_t)((counts & 0xFFFF) + (counts >> 16 & 0xFFFF)); }
#endif
