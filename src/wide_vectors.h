/* Vectors of a CPU level, and functions on them for the kernels of several rooms. wide.c includes this file and then the
 * kernels, once for each level, with these defined:
 * LEVEL(name) (the name with the level's suffix), LEVEL_NAME (the level as text), TARGET (attribute of a function),
 * VECTOR_BYTES (16 or 32), ANY(vector) (whether any bit is set);
 * with masks of AVX-512 WHERE(word, vector) (the bytes whose bits are set, else 0); on x86 SIGNS(vector) (the highest bit
 * of each byte), and with 32 bytes LOOK_UP(table, vector) (the byte of the table in the same half for each byte),
 * AT_MOST(vector, number) (the lower of each byte and the number), HIGHER(v, w) (the higher of two signed words each) and
 * PRODUCTS(v, w) (the sums of the products of two neighbouring bytes, as 16 bits).
 */
#define LANES (VECTOR_BYTES / 4)
#define INLINE static inline __attribute__((always_inline)) TARGET
#define VECTOR LEVEL(vector)
#define BYTES LEVEL(byte_vector)
#define SIGNED LEVEL(signed_vector)
#define SHORTS LEVEL(short_vector)
#define INTS LEVEL(int_vector)
#define FLOATS LEVEL(float_vector)

typedef uint32_t VECTOR __attribute__((vector_size(VECTOR_BYTES)));
typedef uint8_t BYTES __attribute__((vector_size(VECTOR_BYTES)));
typedef int8_t SIGNED __attribute__((vector_size(VECTOR_BYTES)));
typedef uint16_t SHORTS __attribute__((vector_size(VECTOR_BYTES)));
typedef int32_t INTS __attribute__((vector_size(VECTOR_BYTES)));
typedef float FLOATS __attribute__((vector_size(VECTOR_BYTES)));

/* Return words with one bit each: bits `first` and following. */
INLINE VECTOR LEVEL(single_bits)(int32_t first) {
  static const uint32_t bits[32] = {
      1u << 0,  1u << 1,  1u << 2,  1u << 3,  1u << 4,  1u << 5,  1u << 6,  1u << 7,  1u << 8,  1u << 9,  1u << 10,
      1u << 11, 1u << 12, 1u << 13, 1u << 14, 1u << 15, 1u << 16, 1u << 17, 1u << 18, 1u << 19, 1u << 20, 1u << 21,
      1u << 22, 1u << 23, 1u << 24, 1u << 25, 1u << 26, 1u << 27, 1u << 28, 1u << 29, 1u << 30, 1u << 31,
  };
  VECTOR v;
  memcpy(&v, bits + first, sizeof v);
  return v;
}

/* Add the bytes to the sums, of 16 bits each. */
INLINE SHORTS LEVEL(add_bytes)(SHORTS sums, BYTES v) {
#if defined(__SSE2__) && VECTOR_BYTES == 32
  return sums + (SHORTS)__builtin_ia32_psadbw256((wide_chars)v, (wide_chars){0});
#elif defined(__SSE2__)
  return sums + (SHORTS)__builtin_ia32_psadbw128((wide_few_chars)v, (wide_few_chars){0});
#else
  return sums + ((SHORTS)v & 255) + ((SHORTS)v >> 8);
#endif
}

/* Return the lowest bits of WIDE_BLOCK bytes, which are 0 or 1. */
INLINE uint32_t LEVEL(lowest_bits)(const uint8_t *values) {
#ifdef __x86_64__
  uint32_t bits = 0;
  for (int32_t i = 0; i < WIDE_BLOCK; i += VECTOR_BYTES) {
    BYTES cells;
    memcpy(&cells, values + i, sizeof cells);
    bits |= (uint32_t)SIGNS((BYTES)(cells << 7)) << i;
  }
  return bits;
#else
  uint32_t bits = 0;
  for (int32_t i = 0; i < WIDE_BLOCK; i += 8) {
    uint64_t eight;
    memcpy(&eight, values + i, sizeof eight);
    bits |= (uint32_t)((eight & 0x0101010101010101u) * 0x0102040810204080u >> 56) << i;
  }
  return bits;
#endif
}

/* Write the lowest bits of bytes as bits. */
INLINE void LEVEL(pack)(int32_t count, const uint8_t *values, uint8_t *out) {
  for (int32_t i = 0; i < count; i += WIDE_BLOCK) {
    const int32_t cells = count - i < WIDE_BLOCK ? count - i : WIDE_BLOCK;
    const uint32_t bits = LEVEL(lowest_bits)(values + i) & (uint32_t)(~0ull >> (64 - cells));
    if (cells == WIDE_BLOCK)
      memcpy(out + i / 8, &bits, sizeof bits);
    else
      for (int32_t n = 0; n < cells; n += 8) out[(i + n) / 8] = (uint8_t)(bits >> n);
  }
}

/* A bit for each byte, whose bits are all equal. */
INLINE uint32_t LEVEL(bits_of)(BYTES v) {
#if defined(__SSE2__) && VECTOR_BYTES == 32
  return (uint32_t)__builtin_ia32_pmovmskb256((wide_chars)v);
#elif defined(__SSE2__)
  return (uint32_t)__builtin_ia32_pmovmskb128((wide_few_chars)v);
#else
  uint8_t bytes[VECTOR_BYTES], found[VECTOR_BYTES / 8];
  uint32_t bits = 0;
  v &= 1;
  memcpy(bytes, &v, sizeof bytes);
  LEVEL(pack)(VECTOR_BYTES, bytes, found);
  memcpy(&bits, found, sizeof found);
  return bits;
#endif
}
