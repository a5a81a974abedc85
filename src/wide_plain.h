/* The kernels for compilers without vectors: level v2, row by row and float by float. */

static inline int32_t wide_ones(uint64_t x) {
#ifdef __aarch64__
  return __builtin_popcountll(x);
#else /* without a popcount instruction */
  x -= x >> 1 & 0x5555555555555555u;
  x = (x & 0x3333333333333333u) + (x >> 2 & 0x3333333333333333u);
  return (int32_t)(((x + (x >> 4)) & 0x0F0F0F0F0F0F0F0Fu) * 0x0101010101010101u >> 56);
#endif
}

/* Grow `reach` by 8-neighbours through `free` until nothing changes; everything above the first row and below the
 * last counts as reached. */
static void grow(int32_t rows, const uint32_t *free, uint32_t *reach) {
  uint32_t changed;
  do {
    uint32_t above = ~0u, below = ~0u;
    changed = 0;
    for (int32_t up = rows - 1, down = 0; down < rows; up--, down++) {
      above |= reach[down];
      above = (above | above << 1 | above >> 1) & free[down];
      changed |= above ^ reach[down];
      reach[down] = above;
      below |= reach[up];
      below = (below | below << 1 | below >> 1) & free[up];
      changed |= below ^ reach[up];
      reach[up] = below;
    }
  } while (changed);
}

/* The cells left of the first wall and right of the last one in a row. */
static uint32_t outside(uint32_t wall) {
  uint32_t below = wall;
  for (int32_t n = 1; n < 32; n *= 2) below |= below >> n;
  return ~below | ((wall - 1) & ~wall);
}

/* The algorithm is explained in wide_kernels.h. */
static void territory(int32_t players, int32_t chunks, const uint32_t *walls, uint32_t *marks) {
  uint32_t free[WIDE_MAX_PLAYERS][WIDE_MAX_ROWS], reach[WIDE_MAX_PLAYERS][WIDE_MAX_ROWS];
  uint32_t any_wall[WIDE_MAX_ROWS] = {0}, lost[WIDE_MAX_ROWS], contested[WIDE_MAX_ROWS], open;
  uint32_t won[WIDE_MAX_PLAYERS][WIDE_MAX_ROWS] = {{0}};
  const int32_t rows = 4 * chunks;
  for (int32_t p = 0; p < players; p++)
    for (int32_t r = 0; r < rows; r++) {
      const uint32_t wall = walls[p * rows + r];
      any_wall[r] |= wall;
      free[p][r] = ~wall;
      reach[p][r] = outside(wall);
    }
  memcpy(lost, any_wall, sizeof lost);
  for (;;) {
    open = 0;
    for (int32_t p = 0; p < players; p++) grow(rows, free[p], reach[p]);
    for (int32_t r = 0; r < rows; r++) {
      uint32_t one = 0, several = 0;
      for (int32_t p = 0; p < players; p++) {
        several |= one & ~reach[p][r];
        one |= ~reach[p][r];
      }
      for (int32_t p = 0; p < players; p++) won[p][r] |= ~reach[p][r] & ~several & ~any_wall[r];
      lost[r] |= one & ~several;
      contested[r] = several;
      open |= several & ~any_wall[r];
    }
    if (!open) break;
    for (int32_t p = 0; p < players; p++)
      for (int32_t r = 0; r < rows; r++) {
        free[p][r] = ~(walls[p * rows + r] & contested[r]);
        reach[p][r] = ~contested[r];
      }
  }
  for (int32_t p = 0; p < players; p++)
    for (int32_t r = 0; r < rows; r++) marks[p * rows + r] = (marks[p * rows + r] & ~lost[r]) | won[p][r];
}

static int64_t weigh(int32_t chunks, const uint32_t *board, int32_t num_planes, const uint32_t *planes,
                     const int32_t *weights) {
  int64_t sum = 0;
  for (int32_t k = 0; k < num_planes; k++, planes += 4 * chunks)
    for (int32_t r = 0; r < 4 * chunks; r++) sum += (int64_t)weights[k] * wide_ones(board[r] & planes[r]);
  return sum;
}

static int is_set(const uint32_t *stream, int32_t i) { return stream[i / 32] >> i % 32 & 1; }

static void planes(int32_t count, int32_t num_planes, const wide_plane *plane, float *out) {
  for (; num_planes > 0; num_planes--, plane++, out += count)
    for (int32_t i = 0; i < count; i++) {
      const float value = plane->values ? plane->values[i] : 1;
      out[i] = !plane->stream || is_set(plane->stream, i) ? value : 0;
    }
}

static void matches(int32_t count, const uint32_t *words, int32_t num_planes, const wide_match *plane, float *out) {
  for (; num_planes > 0; num_planes--, plane++, out += count)
    for (int32_t i = 0; i < count; i++) {
      const float value = plane->values ? plane->values[i] : 1;
      out[i] = (words[i] & plane->mask) == plane->value ? value : 0;
    }
}

static void bytes(const uint32_t *stream, int32_t count, uint8_t *out) {
  for (int32_t i = 0; i < count; i++) out[i] = (uint8_t)is_set(stream, i);
}

static void compact(int32_t count, int32_t num_planes, const wide_plane *plane, const masume_plane *kinds,
                    uint8_t *out) {
  for (int32_t p = 0; p < num_planes; p++, plane++) {
    const int32_t packs = kinds && kinds[p].is_bits, size = packs ? (count + 7) / 8 : count;
    if (packs) memset(out, 0, (size_t)size);
    for (int32_t i = 0; i < count; i++) {
      const uint8_t value = plane->bytes ? plane->bytes[i] : 1;
      const uint8_t byte = !plane->stream || is_set(plane->stream, i) ? value : 0;
      if (packs)
        out[i / 8] |= (uint8_t)((byte & 1) << i % 8);
      else
        out[i] = byte;
    }
    out += size;
  }
}

static void byte_matches(int32_t count, const uint8_t *cells, int32_t num_planes, const wide_byte_match *plane,
                         uint8_t *out) {
  for (; num_planes > 0; num_planes--, plane++, out += count)
    for (int32_t i = 0; i < count; i++) {
      const uint8_t value = plane->values ? plane->values[i] : 1;
      out[i] = (cells[i] & plane->mask) == plane->value ? value : 0;
    }
}

static void bit_matches(int32_t count, const uint8_t *cells, int32_t num_planes, const wide_byte_match *plane,
                        const masume_plane *kinds, uint8_t *out) {
  for (int32_t p = 0; p < num_planes; p++, plane++) {
    if (!kinds[p].is_bits) {
      byte_matches(count, cells, 1, plane, out);
      out += count;
      continue;
    }
    memset(out, 0, (size_t)(count + 7) / 8);
    for (int32_t i = 0; i < count; i++)
      out[i / 8] |= (uint8_t)(((cells[i] & plane->mask) == plane->value) << i % 8);
    out += (count + 7) / 8;
  }
}

static void floats(int32_t count, const uint8_t *bytes, const float *table, float scale, float offset, float *out) {
  for (int32_t i = 0; i < count; i++) out[i] = table ? table[bytes[i]] : bytes[i] * scale + offset;
}

static void halves(int32_t count, const uint8_t *bytes, const uint16_t *table, uint16_t *out) {
  for (int32_t i = 0; i < count; i++) out[i] = table[bytes[i]];
}

static int32_t offers(int32_t count, const int32_t *amounts, const uint8_t *cells, uint8_t mask, uint8_t value,
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

static void age(int32_t count, uint8_t by, uint8_t *bytes) {
  for (int32_t i = 0; i < count; i++)
    if (bytes[i]) bytes[i] = (uint8_t)(bytes[i] > 255 - by ? 255 : bytes[i] + by);
}

static int32_t first_highest(int32_t count, const int32_t *values) {
  int32_t first = 0;
  for (int32_t i = 1; i < count; i++)
    if (values[i] > values[first]) first = i;
  return first;
}

static int32_t share(int32_t count, int32_t num_sets, const uint64_t *sets, const int32_t *shares, int32_t anew,
                     int32_t *sums) {
  if (anew) memset(sums, 0, (size_t)(count + WIDE_BLOCK - 1) / WIDE_BLOCK * WIDE_BLOCK * sizeof *sums);
  for (; num_sets > 0; num_sets--, sets += 2) {
    const int32_t part = shares[wide_ones(sets[0]) + wide_ones(sets[1])];
    for (int32_t i = 0; i < count; i++) sums[i] += sets[i / 64] >> i % 64 & 1 ? part : 0;
  }
  return first_highest(count, sums);
}

static int32_t highest(const wide_grid *grid, int32_t own, const int32_t *values, int32_t *found) {
  for (int32_t i = 0; i < grid->count; i++) {
    found[i] = own ? values[i] : 0;
    for (int32_t row = i - grid->width; row <= i + grid->width; row += grid->width)
      for (int32_t side = -1; side <= 1; side++) {
        if (row < 0 || row >= grid->count || (side < 0 && !grid->west[i]) || (side > 0 && !grid->east[i])) continue;
        if (row + side != i && values[row + side] > found[i]) found[i] = values[row + side];
      }
  }
  return first_highest(grid->count, found);
}

static void add_rows(int32_t count, const int32_t *rows, const float *factors, int32_t width, const float *matrix,
                     float *sums) {
  for (int32_t k = 0; k < count; k++) {
    const float *row = matrix + (int64_t)rows[k] * width;
    for (int32_t i = 0; i < width; i++) sums[i] += factors[k] * row[i];
  }
}

static const wide_level level_v2 = {
    "v2", territory, weigh, planes, matches, compact, byte_matches,
    bit_matches, floats, halves, age, bytes, offers, share, highest, add_rows,
};
