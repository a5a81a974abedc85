/* Sets of cells as words: one uint32_t a board row, bit x = column x. */
#ifndef MASUME_BITS_H
#define MASUME_BITS_H
#include <stdint.h>

static inline int32_t bits_count(uint32_t word) { return __builtin_popcount(word); }

/* Place of the lowest one; word != 0. */
static inline int32_t bits_first(uint32_t word) { return __builtin_ctz(word); }

/* The lowest n bits, 0 <= n <= 32. */
static inline uint32_t bits_low(int32_t n) { return n >= 32 ? 0xFFFFFFFFu : ((1u << n) - 1u); }

/* Place of the k-th one (k from 0); word has more than k ones. */
static inline int32_t bits_select(uint32_t word, int32_t k) {
  while (k-- > 0) word &= word - 1;
  return __builtin_ctz(word);
}

/* Ones of n words; without the instruction, which the portable level lacks, and in a form that is made into vectors. */
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

/* Place of the k-th one (k from 0) of a row of words, which has more than k ones. */
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

/* The same of a word of 64 cells. */
static inline int32_t bits_count64(uint64_t word) { return __builtin_popcountll(word); }
static inline int32_t bits_first64(uint64_t word) { return __builtin_ctzll(word); }

/* Eight bits as eight bytes of 0 or 1: in the order of memory where the lowest byte comes first. */
static inline uint64_t bits_spread(uint8_t bits) {
  uint64_t found = bits * 0x0101010101010101ull & 0x8040201008040201ull; /* bit n in byte n */
  return (found + 0x7F7F7F7F7F7F7F7Full) >> 7 & 0x0101010101010101ull;
}
#endif
