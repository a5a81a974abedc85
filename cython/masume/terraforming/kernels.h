/* Kernel of the beginning of a turn. */
#ifndef LEVEL
#include <stdint.h>

typedef struct {
  const char *name; /* of the CPU level */

  /* A cell is ready if it has ways, which are bits 0 to 5 of its byte in `ways`, and an amount, and its byte in `cells`
   * and the mask give `value`. Write bits 6 and 7 of its ways: how many of 1, 2 and 4 its amount exceeds; 0 if it is not
   * ready. Set the bits of the cells that are ready, in whole words, and return the sum of (1 + that number) * the
   * number of ways over them. `count` is at most 352; amounts are not negative; up to WIDE_BLOCK - 1 amounts and cells
   * beyond the end are read, and as many ways read and written, which are 0. Write `count` zeros to `cleared`. */
  int32_t (*offers)(int32_t count, const int32_t *amounts, const uint8_t *cells, uint8_t mask, uint8_t value,
                    uint8_t *ways, int32_t *cleared, uint64_t *set);
} terraforming_level;

/* Return the kernels of a CPU level, by its name. */
const terraforming_level *terraforming_pick(const char *name);

#else /* for each CPU level */
#define ROOM(name) terraforming_##name

#ifdef VECTOR_BYTES
/* The next amounts as bytes; those above 127 are 127. */
INLINE BYTES LEVEL(clip)(const int32_t *amounts) {
#if defined(__SSE2__) && VECTOR_BYTES == 32
  wide_dwords a, b, c, d;
  memcpy(&a, amounts, sizeof a);
  memcpy(&b, amounts + 8, sizeof b);
  memcpy(&c, amounts + 16, sizeof c);
  memcpy(&d, amounts + 24, sizeof d);
  const wide_dwords joined = (wide_dwords)__builtin_ia32_packsswb256(__builtin_ia32_packssdw256(a, b),
                                                                     __builtin_ia32_packssdw256(c, d));
  return (BYTES)__builtin_ia32_permvarsi256(joined, (wide_dwords){0, 4, 1, 5, 2, 6, 3, 7});
#elif defined(__SSE2__)
  wide_four a, b, c, d;
  memcpy(&a, amounts, sizeof a);
  memcpy(&b, amounts + 4, sizeof b);
  memcpy(&c, amounts + 8, sizeof c);
  memcpy(&d, amounts + 12, sizeof d);
  return (BYTES)__builtin_ia32_packsswb128(__builtin_ia32_packssdw128(a, b), __builtin_ia32_packssdw128(c, d));
#else
  BYTES found;
  for (int32_t k = 0; k < VECTOR_BYTES; k++) found[k] = (uint8_t)(amounts[k] > 127 ? 127 : amounts[k]);
  return found;
#endif
}

/* The number of the bits 0 to 5 that each byte has; the others are 0. */
INLINE BYTES LEVEL(ones_of_six)(BYTES v) {
#ifdef LOOK_UP
  const BYTES ones = {0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4, 0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4};
  return LOOK_UP(ones, v & 15) + LOOK_UP(ones, (BYTES)((SHORTS)v >> 4) & 3);
#else
  v -= (BYTES)((SHORTS)v >> 1) & 0x15;
  v = (v & 0x33) + ((BYTES)((SHORTS)v >> 2) & 0x33);
  return (v + (BYTES)((SHORTS)v >> 4)) & 7;
#endif
}

static TARGET int32_t LEVEL(offers)(int32_t count, const int32_t *amounts, const uint8_t *cells, uint8_t mask,
                                    uint8_t value, uint8_t *ways, int32_t *cleared, uint64_t *set) {
  const VECTOR zeros = {0};
  SHORTS sums = {0};
  uint64_t parts[VECTOR_BYTES / 8], sum = 0;
  set[(count - 1) / 64] = 0; /* blocks may fill only a part of it */
  for (int32_t i = 0; i < count; i += VECTOR_BYTES) {
    SIGNED amount = (SIGNED)LEVEL(clip)(amounts + i);
    BYTES cell, way;
    memcpy(&cell, cells + i, sizeof cell);
    memcpy(&way, ways + i, sizeof way);
    way &= 63;
    amount &= ((cell & mask) == value) & ((SIGNED)way > 0);
    const BYTES any = (BYTES)(amount > 0), weight = LEVEL(ones_of_six)(way);
    const uint32_t bits = LEVEL(bits_of)(any);
#ifdef LOOK_UP
    const BYTES factors = {0, 1, 2, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4,
                           0, 1, 2, 3, 3, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4, 4};
    const BYTES factor = LOOK_UP(factors, AT_MOST((BYTES)amount, 15));
    sums += (SHORTS)PRODUCTS(weight, factor);
    way += (BYTES)((SHORTS)(factor + any) << 6) & 192;
#else
    const BYTES two = (BYTES)(amount > 1), three = (BYTES)(amount > 2), five = (BYTES)(amount > 4);
    sums = LEVEL(add_bytes)(sums, (weight & any) + (weight & two) + (weight & three) + (weight & five));
    way += (two & 64) + (three & 64) + (five & 64);
#endif
    memcpy((uint8_t *)set + i / 8, &bits, VECTOR_BYTES / 8);
    memcpy(ways + i, &way, sizeof way);
    if (i + VECTOR_BYTES <= count)
      for (int32_t k = 0; k < VECTOR_BYTES; k += LANES) memcpy(cleared + i + k, &zeros, sizeof zeros);
  }
  if (count >= VECTOR_BYTES) { /* the last ones, some of them again */
    for (int32_t k = VECTOR_BYTES; k > 0; k -= LANES) memcpy(cleared + count - k, &zeros, sizeof zeros);
  } else {
    memset(cleared, 0, (size_t)count * sizeof *cleared);
  }
  memcpy(parts, &sums, sizeof parts);
  for (int32_t k = 0; k < VECTOR_BYTES / 8; k++) sum += parts[k];
  return (int32_t)(sum * 0x0001000100010001u >> 48);
}
#else
static int32_t LEVEL(offers)(int32_t count, const int32_t *amounts, const uint8_t *cells, uint8_t mask, uint8_t value,
                             uint8_t *ways, int32_t *cleared, uint64_t *set) {
  int32_t sum = 0;
  for (int32_t i = 0; i < count; i += 64) set[i / 64] = 0;
  for (int32_t i = 0; i < count; i++) {
    const int32_t way = ways[i] & 63, amount = (cells[i] & mask) == value && way ? amounts[i] : 0;
    const int32_t more = (amount > 1) + (amount > 2) + (amount > 4);
    ways[i] = (uint8_t)(way | more << 6);
    cleared[i] = 0;
    sum += amount > 0 ? (1 + more) * wide_ones((uint64_t)way) : 0;
    set[i / 64] |= (uint64_t)(amount > 0) << i % 64;
  }
  return sum;
}
#endif

static const terraforming_level LEVEL(level) = {LEVEL_NAME, LEVEL(offers)};
#endif
