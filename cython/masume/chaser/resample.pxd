# cython: language_level=3, cdivision=True
"""CHaser: random positions that a player cannot distinguish from the true one, given what it has seen. [section 9.6]

The start is drawn from all possible ones: uniformly or, on a generated map, weighted by the probability of the seen
blocks that would be in the field. The consequences of a start form a guess, which is computed once and cached. Then the
unseen cells are drawn, the items that the opponent has taken from them, and the opponent's place.
"""
from libc.stdint cimport int16_t, int32_t, int64_t, uint8_t, uint32_t, uint64_t
from libc.string cimport memcpy, memset
from masume.chaser.knowledge cimport *
from masume.chaser.rules cimport *
from masume.core._game cimport masume_below, masume_next

cdef enum:
    TRIES = 16                     # tries per possible start before giving up
    CHUNK = 28                     # cells of a row that fit in a word, two bits each, at any offset in a byte
    MAX_GUESSES = 128              # guesses that a search caches
    MAX_GUESS = 14048              # bytes, of a field of 64 x 64

cdef struct Grid:                  # the player's frame, unfolded
    int32_t at
    int32_t sighting
    uint64_t planes[NUM_BITS][GRID_WORDS]

cdef struct Starts:                # the possible starts, a rectangle of rows and columns
    int32_t rows
    int32_t columns
    double total
    double of_row[MAX_SIDE]        # sum of the weights of each row
    double weights[MAX_CELLS]

cdef struct Guess:                 # consequences of a start; rows, stored cells and two lists follow
    int32_t start                  # number of the start; -1 for an empty guess
    bint is_possible               # whether the opponent can have made the changes that the start implies
    int32_t place                  # place of the player
    int32_t blocks                 # number to draw, in pairs on symmetric maps
    int32_t items                  # likewise
    int32_t taken                  # items taken by the opponent: seen to be gone
    int32_t more                   # hidden items it must also have taken to be as successful as the player
    int32_t num_unknown            # cells of which nothing is known, or pairs of them
    int32_t num_hidden             # items on cells never seen
    int32_t num_foes               # possible cells of the opponent

cdef struct Sampler:               # guesses follow
    const Board *now
    const Knowledge *known
    int32_t player
    int32_t num_guesses            # a power of two
    Grid grid
    Starts starts

cdef struct One:                   # a sampler and room for a guess of a field of 64 x 64
    Sampler sampler
    uint8_t guess[MAX_GUESS]


# -- sights ---------------------------------------------------------------------------------------

cdef inline const uint8_t *seen_in(const Grid *grid, int32_t plane) noexcept nogil:
    """Return a plane of bits."""
    return <const uint8_t *>grid.planes[plane]


cdef inline uint32_t sight_in(const Grid *grid, int32_t cell, int32_t planes) noexcept nogil:
    """Return the last (LAST_LOW) or the first sight (FIRST_LOW) of a cell."""
    return <uint32_t>(grid.planes[planes][cell >> 6] >> (cell & 63) & 1
                      | (grid.planes[planes + 1][cell >> 6] >> (cell & 63) & 1) << 1)


# -- the parts of a guess -------------------------------------------------------------------------

cdef inline uint64_t *foes_of(const Params *k, Guess *guess) noexcept nogil:
    """Return the possible columns of the opponent in each row."""
    return <uint64_t *>(guess + 1)


cdef inline uint32_t *cells_of(const Params *k, Guess *guess) noexcept nogil:
    """Return its cells: last seen values, else the mirror cells' values, else floor."""
    return <uint32_t *>(foes_of(k, guess) + k.height)


cdef inline int16_t *unknown_of(const Params *k, Guess *guess) noexcept nogil:
    """Return the places of which nothing is known; on symmetric maps the first of each pair."""
    return <int16_t *>(cells_of(k, guess) + k.words)


cdef inline int16_t *hidden_of(const Params *k, Guess *guess) noexcept nogil:
    """Return the places never seen that hold an item: at most one of two mirror cells."""
    return unknown_of(k, guess) + k.size


cdef inline int64_t guess_size(const Params *k) noexcept nogil:
    """Return the bytes of a guess."""
    return (<int32_t>sizeof(Guess) + k.height * 8 + k.words * 4 + (k.size + (k.size + 1) // 2) * 2 + 7) // 8 * 8


cdef inline int32_t num_guesses(const Params *k) noexcept nogil:
    """Return the number of guesses that a search caches, a power of two."""
    cdef int32_t count = 1
    while count < min(k.size, <int32_t>MAX_GUESSES):
        count *= 2
    return count


cdef inline uint64_t sampler_size(const Params *k) noexcept nogil:
    """Return the bytes of a sampler with the guesses of a search."""
    return sizeof(Sampler) + num_guesses(k) * guess_size(k)


# -- starts ---------------------------------------------------------------------------------------

cdef inline void weigh_starts(const Params *k, const Knowledge *known, const Grid *grid, int32_t player,
                              Starts *starts) noexcept nogil:
    """Compute the weight of each start. [D4]

    It decreases with the number of cells in the field that were blocks when first seen. If the map was not generated,
    all starts have the same weight, because the number of blocks is unknown.
    """
    cdef int16_t counts[(MAX_SIDE + 1) * (MAX_SIDE + 1)]   # number of such cells per start; at first the differences
    cdef int16_t *row
    cdef const uint8_t *low = seen_in(grid, FIRST_LOW)
    cdef const uint8_t *high = seen_in(grid, FIRST_HIGH)
    cdef int32_t rows = k.height - (known.bottom - known.top), columns = k.width - (known.right - known.left)
    cdef int32_t width = columns + 1, down, across, base, top, bottom, left, right, n, i, j, fewest = MAX_CELLS
    cdef uint64_t blocks
    starts.rows = rows
    starts.columns = columns
    memset(counts, 0, (rows + 1) * width * sizeof(int16_t))
    if known.mirrored:
        for down in range(known.top - MARGIN, known.bottom + MARGIN + 1):
            top = max(0, known.top - down)                 # the starts for which this row is in the field
            bottom = min(rows, known.top - down + k.height)
            base = known.left - MARGIN
            while base <= known.right + MARGIN and top < bottom:
                n = k.centre + down * k.grid_width + base
                blocks = bits_at(low, n) & bits_at(high, n)
                blocks &= bits_low64(min(64, known.right + MARGIN + 1 - base))
                while blocks:
                    across = base + bits_first64(blocks)
                    blocks &= blocks - 1
                    left = max(0, known.left - across)
                    right = min(columns, known.left - across + k.width)
                    if left < right:
                        counts[top * width + left] += 1
                        counts[top * width + right] -= 1
                        counts[bottom * width + left] -= 1
                        counts[bottom * width + right] += 1
                base += 64
    for i in range(rows):
        row = &counts[i * width]
        if i:
            for j in range(columns):
                row[j] += row[j - width]
    for i in range(rows):
        row = &counts[i * width]
        n = (i - known.top) * k.width - known.left
        for j in range(1, columns):
            row[j] += row[j - 1]
        for j in range(columns):
            if known.mirrored and not k.may_start[n + j if player == 0 else k.size - 1 - n - j]:
                row[j] = MAX_CELLS
            fewest = min(fewest, <int32_t>row[j])
    starts.total = 0
    for i in range(rows):
        starts.of_row[i] = 0
        for j in range(columns):
            n = counts[i * width + j]
            starts.weights[i * columns + j] = k.odds[min(n - fewest, MAX_ODDS)] if n < MAX_CELLS else 0
            starts.of_row[i] += starts.weights[i * columns + j]
        starts.total += starts.of_row[i]


cdef inline int32_t pick_weighted(const double *weights, int32_t count, double *left) noexcept nogil:
    """Return the first index whose cumulative weight exceeds `left`; subtract the weights before it from `left`."""
    cdef int32_t n, last = 0
    for n in range(count):
        if weights[n] > 0:
            last = n
            if left[0] < weights[n]:
                break
            left[0] -= weights[n]
    return last


# -- a guess --------------------------------------------------------------------------------------

cdef inline int32_t list_places(int16_t *out, int32_t count, uint64_t cells, int32_t place) noexcept nogil:
    """Append the places of the set bits of a row, bit 0 at `place`; return the new length of the list."""
    while cells:
        out[count] = <int16_t>(place + bits_first64(cells))
        cells &= cells - 1
        count += 1
    return count


cdef inline int32_t fill_at_random(const Params *k, const Grid *grid, Guess *guess, int32_t corner) noexcept nogil:
    """Fill the cells with their last seen values, else floor; return the number of seen items that are gone.

    Unseen cells are drawn later, with the frequencies of the values first seen.
    """
    cdef int32_t counts[4]
    cdef int32_t row, column, place, now = 0
    cdef uint32_t sight
    cdef int16_t *unknown = unknown_of(k, guess)
    memset(counts, 0, sizeof(counts))
    memset(cells_of(k, guess), 0, k.words * 4)
    for row in range(k.height):
        for column in range(k.width):
            counts[sight_in(grid, corner + row * k.grid_width + column, FIRST_LOW)] += 1
            sight = sight_in(grid, corner + row * k.grid_width + column, LAST_LOW)
            place = (row + 1) * k.stride + column
            if sight == UNSEEN:
                sight = SAW_FLOOR
                unknown[guess.num_unknown] = <int16_t>place
                guess.num_unknown += 1
            now += sight == SAW_ITEM
            cells_of(k, guess)[place >> 4] |= (sight ^ TURNED ^ TOLD) << (place & 15) * 2
    guess.blocks = counts[SAW_BLOCK]
    guess.items = counts[SAW_ITEM]
    return counts[SAW_ITEM] - now


cdef inline uint64_t part(const uint8_t *bits, int32_t n, uint64_t mask) noexcept nogil:
    """Return the bits from n on that are in `mask`, at most CHUNK."""
    cdef uint64_t word
    memcpy(&word, bits + (n >> 3), sizeof(word))
    return word >> (n & 7) & mask


cdef inline int32_t count_changed(const Params *k, const Grid *grid, int32_t corner) noexcept nogil:
    """Return the number of cells that must have changed before the player first saw them.

    That is one of each mirror pair, equal at the start, whose first sights differ, and the centre cell if it differs
    from the generated one. The opponent changed them, because a player sees a cell before it changes the cell itself.
    """
    cdef const uint8_t *low = seen_in(grid, FIRST_LOW)
    cdef const uint8_t *high = seen_in(grid, FIRST_HIGH)
    cdef int32_t row, column, length, cell, other, changed = 0
    cdef uint64_t mask, own_low, own_high, its_low, its_high, changes
    cdef uint32_t sight
    for row in range((k.height + 1) // 2):
        column = 0
        while column < k.width:
            length = min(<int32_t>CHUNK, k.width - column)
            mask = bits_low64(length)
            cell = corner + row * k.grid_width + column
            other = corner + (k.height - 1 - row) * k.grid_width + k.width - column - length
            own_low = part(low, cell, mask)
            own_high = part(high, cell, mask)
            its_low = part(low, other, mask)
            its_high = part(high, other, mask)
            if (own_low | own_high) and (its_low | its_high):
                its_low = bits_reverse(<uint32_t>its_low, length)
                its_high = bits_reverse(<uint32_t>its_high, length)
                changes = (own_low | own_high) & (its_low | its_high) & ((own_low ^ its_low) | (own_high ^ its_high))
                if changes:                                # each pair of the middle row is counted twice
                    changed += bits_count64(changes) * (2 if 2 * row + 1 < k.height else 1)
            column += length
    changed //= 2
    if k.size & 1:
        sight = sight_in(grid, corner + k.height // 2 * k.grid_width + k.width // 2, FIRST_LOW)
        changed += sight != UNSEEN and sight != <uint32_t>(SAW_ITEM if k.n_items & 1 else SAW_FLOOR)
    return changed


cdef inline int32_t fill_mirrored(const Params *k, const Grid *grid, Guess *guess, int32_t corner) noexcept nogil:
    """Fill the cells with their last seen values, else the mirror cell's first; return the number of items gone.

    All other cells are floor here; pairs of them are drawn later, by the remaining numbers of blocks and items.
    """
    cdef uint8_t cells[MAX_WORDS * 4 + 16]
    cdef const uint8_t *last = seen_in(grid, LAST_LOW)
    cdef const uint8_t *first = seen_in(grid, FIRST_LOW)
    cdef int32_t size = seen_in(grid, LAST_HIGH) - last
    cdef int32_t row, column, length, cell, other, place, blocks, items, now, half = k.size // 2
    cdef uint64_t own_low, own_high, its_low, its_high, low, high, own, its, mask, word, middle
    cdef uint64_t at_start = 0, items_now = 0
    memset(cells, 0, k.words * 4)
    for row in range(k.height):
        column = 0
        while column < k.width:
            length = min(<int32_t>CHUNK, k.width - column)
            mask = bits_low64(length)
            cell = corner + row * k.grid_width + column
            other = corner + (k.height - 1 - row) * k.grid_width + k.width - column - length
            # what was seen of these cells, and of those opposite
            own_low = part(first, cell, mask)
            own_high = part(first + size, cell, mask)
            its_low = part(first, other, mask)
            its_high = part(first + size, other, mask)
            own = own_low | own_high
            its = its_low | its_high
            word = mask
            low = high = 0
            if its:
                its_low = bits_reverse(<uint32_t>its_low, length)
                its_high = bits_reverse(<uint32_t>its_high, length)
                its = its_low | its_high
                low = its_low & ~own
                high = its_high & ~own
            # what is there now, where either was seen; blocks and items at the start are counted in pairs
            if own | its:
                low |= part(last, cell, mask)
                high |= part(last + size, cell, mask)
                at_start += bits_count_both(
                    <uint32_t>((own_high & ~own_low) | (its_high & ~its_low)),
                    <uint32_t>((own | its) & ~((own_low ^ own_high) | (its_low ^ its_high))))
                items_now += bits_count_both(<uint32_t>(high & ~low), 0)
                word &= ~(own | its)
            # items that only symmetry tells of, and, in the first half of the board, cells of which nothing is known
            place = (row + 1) * k.stride + column
            guess.num_hidden = list_places(hidden_of(k, guess), guess.num_hidden, high & ~low & ~own, place)
            low |= word                                                      # SAW_FLOOR until it is drawn
            if row * k.width < half:
                guess.num_unknown = list_places(
                    unknown_of(k, guess), guess.num_unknown,
                    word & bits_low64(max(0, min(length, half - row * k.width - column))), place)
            # the cells as a board stores them
            word = bits_shuffle(<uint32_t>(~low & mask), <uint32_t>(~high & mask)) << (place & 3) * 2
            memcpy(&middle, cells + (place >> 2), sizeof(middle))
            middle |= word
            memcpy(cells + (place >> 2), &middle, sizeof(middle))
            column += length
    memcpy(cells_of(k, guess), cells, k.words * 4)
    blocks = bits_sum(at_start >> 32) // 2
    items = bits_sum(at_start) // 2
    now = bits_sum(items_now)
    if k.size & k.n_items & 1 and sight_in(
            grid, corner + k.height // 2 * k.grid_width + k.width // 2, FIRST_LOW) == UNSEEN:
        place = k.place_of[half]
        cells_of(k, guess)[place >> 4] ^= <uint32_t>(STORED_FLOOR ^ STORED_ITEM) << (place & 15) * 2
        hidden_of(k, guess)[guess.num_hidden] = <int16_t>place
        guess.num_hidden += 1
        now += 1
    guess.blocks = min(guess.num_unknown, max(0, k.n_blocks // 2 - blocks))
    guess.items = min(guess.num_unknown - guess.blocks, max(0, k.n_items // 2 - items))
    return 2 * items + (k.n_items & 1) - now


cdef inline void find_foes(const Params *k, const Sampler *sampler, Guess *guess, int32_t corner, int32_t start_row,
                           int32_t start_column) noexcept nogil:
    """Find the possible cells of the opponent. [D3, D7, D8]"""
    cdef const Knowledge *known = sampler.known
    cdef const Grid *grid = &sampler.grid
    cdef const uint8_t *low = seen_in(grid, LAST_LOW)
    cdef const uint8_t *high = seen_in(grid, LAST_HIGH)
    cdef int32_t o = 1 - sampler.player, half = sampler.now.half, row, cell, span
    cdef int32_t middle_row = 0, middle_column = 0, reach = k.height + k.width
    cdef int32_t at_row = row_of(k, guess.place), at_column = column_of(k, guess.place)
    cdef int32_t looked = last_action_of(k, known, sampler.player, half), looked_row = NOWHERE, looked_column = 0
    cdef uint64_t cells
    # the cell in the middle of a look that saw nobody
    if looked >> 2 == LOOK and known.sighting_half < half - 1:
        looked_row = at_row + 2 * ((looked == 4 * LOOK + 3) - (looked == 4 * LOOK))
        looked_column = at_column + 2 * ((looked == 4 * LOOK + 1) - (looked == 4 * LOOK + 2))
    # how far the opponent can be from where it was seen, or from its start if boards are mirrored
    if known.sighting_half >= 0:
        middle_row = start_row + grid.sighting // k.grid_width - k.centre // k.grid_width
        middle_column = start_column + grid.sighting % k.grid_width - k.grid_width // 2
        reach = methods_of(o, known.sighting_half, half)
    elif known.mirrored:
        middle_row = k.height - 1 - start_row
        middle_column = k.width - 1 - start_column
        reach = methods_of(o, 0, half)
    # the cells within that distance, row by row, without those where it is known not to be
    memset(foes_of(k, guess), 0, k.height * sizeof(uint64_t))
    for row in range(max(0, middle_row - reach), min(k.height - 1, middle_row + reach) + 1):
        span = reach - (row - middle_row if row > middle_row else middle_row - row)
        cell = corner + row * k.grid_width
        cells = bits_low64(min(k.width, middle_column + span + 1)) & ~bits_low64(max(0, middle_column - span))
        cells &= ~(bits_at(low, cell) & bits_at(high, cell))                           # known blocks
        if known.sighting_half != half and -1 <= row - at_row <= 1:                    # the ready info would show it
            cells &= ~(bits_low64(at_column + 2) & ~bits_low64(at_column - 1))
        if row == looked_row:                              # it saw nobody on this cell, nor on the four next to it
            cells &= ~(bits_low64(looked_column + 1) & ~bits_low64(looked_column))
        foes_of(k, guess)[row] = cells
        guess.num_foes += bits_count64(cells)


cdef inline void make_guess(const Params *k, const Sampler *sampler, Guess *guess, int32_t start) noexcept nogil:
    """Compute the guess of a start."""
    cdef const Board *now = sampler.now
    cdef const Knowledge *known = sampler.known
    cdef const Grid *grid = &sampler.grid
    cdef int32_t player = sampler.player, methods = methods_of(1 - player, 0, now.half), own = now.items[player], gone
    cdef int32_t row = start // sampler.starts.columns - known.top                                     # D4
    cdef int32_t column = start % sampler.starts.columns - known.left
    cdef int32_t corner = k.centre - row * k.grid_width - column
    memset(guess, 0, sizeof(Guess))
    guess.start = start
    if known.mirrored and count_changed(k, grid, corner) > 2 * methods:     # a method changes two cells at most
        return
    guess.is_possible = True
    guess.place = ((row + grid.at // k.grid_width - k.centre // k.grid_width + 1) * k.stride
                   + column + grid.at % k.grid_width - k.grid_width // 2)
    if known.mirrored:
        gone = fill_mirrored(k, grid, guess, corner)
    else:
        gone = fill_at_random(k, grid, guess, corner)
    guess.taken = max(0, min(gone - own, methods))         # some may have been destroyed
    guess.more = own * methods // max(1, methods_of(player, 0, now.half)) - guess.taken
    find_foes(k, sampler, guess, corner, row, column)


cdef inline Guess *guess_of(const Params *k, Sampler *sampler, int32_t start) noexcept nogil:
    """Return the guess of a start; compute it if it is not cached."""
    cdef Guess *guess = <Guess *>(<uint8_t *>(sampler + 1)
                                  + (start & (sampler.num_guesses - 1)) * guess_size(k))
    if guess.start != start:
        make_guess(k, sampler, guess, start)
    return guess


cdef inline int32_t make_sampler(const Params *k, const Board *now, const void *memory, int32_t player,
                                 int32_t guesses, Sampler *sampler) noexcept nogil:
    """Make the sampler of a position, with room for `guesses` guesses; return -1 if there is nothing to sample."""
    cdef const Knowledge *known = knowledge_of(k, memory, player)
    cdef int32_t n
    if memory == NULL or now.winner != ONGOING or now.half & 1 != player:
        return -1
    sampler.now = now
    sampler.known = known
    sampler.grid.at = grid_cell(k, known, known.at)
    sampler.grid.sighting = grid_cell(k, known, known.sighting)
    unfold(k, known, NUM_BITS, sampler.grid.planes)
    sampler.player = player
    sampler.num_guesses = guesses
    for n in range(guesses):
        (<Guess *>(<uint8_t *>(sampler + 1) + n * guess_size(k))).start = -1
    weigh_starts(k, known, &sampler.grid, player, &sampler.starts)
    return 0


# -- a draw ---------------------------------------------------------------------------------------

cdef inline int32_t draw_place(int16_t *places, int32_t n, int32_t count, uint64_t *rng) noexcept nogil:
    """Draw one of places[n..count-1] uniformly, and swap it with places[n]; the order of the rest is irrelevant."""
    cdef int32_t other = n + <int32_t>masume_below(rng, count - n)
    cdef int16_t place = places[other]
    places[other] = places[n]
    places[n] = place
    return place


cdef inline int32_t draw_cells(const Params *k, Guess *guess, Board *board, uint64_t *rng) noexcept nogil:
    """Draw a value for each unknown cell; return the number of items among them, which are moved to the front."""
    cdef int16_t *unknown = unknown_of(k, guess)
    cdef int32_t n, value, items = 0, floor = k.size - guess.num_unknown - guess.items - guess.blocks
    for n in range(guess.num_unknown):
        value = <int32_t>masume_below(rng, k.size - guess.num_unknown)
        if value >= floor + guess.items:
            turn(board, unknown[n], STORED_FLOOR ^ STORED_BLOCK)
        elif value >= floor:
            turn(board, unknown[n], STORED_FLOOR ^ STORED_ITEM)
            unknown[n], unknown[items] = unknown[items], unknown[n]
            items += 1
    return items


cdef inline void turn_pairs(const Params *k, Board *board, int16_t *places, int32_t begin, int32_t end, int32_t count,
                            uint32_t bits, uint64_t *rng) noexcept nogil:
    """Draw pairs from places[begin..count-1] into places[begin..end-1], and invert these bits of both cells."""
    cdef int32_t n, place, sum_of_places = k.place_of[0] + k.place_of[k.size - 1]
    cdef uint64_t draws = rng[0]
    for n in range(begin, end):
        place = draw_place(places, n, count, &draws)
        turn(board, place, bits)
        turn(board, sum_of_places - place, bits)
    rng[0] = draws


cdef inline void draw_pairs(const Params *k, Guess *guess, Board *board, uint64_t *rng) noexcept nogil:
    """Draw the pairs that are blocks and items; they become the first of the list, blocks before items."""
    cdef int16_t *unknown = unknown_of(k, guess)
    cdef int32_t blocks = guess.blocks, both = blocks + guess.items, count = guess.num_unknown
    turn_pairs(k, board, unknown, 0, blocks, count, STORED_FLOOR ^ STORED_BLOCK, rng)
    turn_pairs(k, board, unknown, blocks, both, count, STORED_FLOOR ^ STORED_ITEM, rng)


cdef inline int32_t take_hidden(const Params *k, Guess *guess, Board *board, const int16_t *drawn, int32_t count,
                                bint in_pairs, uint64_t *rng) noexcept nogil:
    """Take `guess.more` unseen items, which makes the opponent as successful as the player; return their number.

    drawn : the places of the drawn items. Every second of the cells becomes a block. [CH-15]
    """
    cdef int16_t hidden[MAX_CELLS]
    cdef int32_t n, place, sum_of_places = k.place_of[0] + k.place_of[k.size - 1], num = guess.num_hidden, taken
    memcpy(hidden, hidden_of(k, guess), num * sizeof(int16_t))
    for n in range(count):
        hidden[num] = drawn[n]
        num += 1
        if in_pairs:
            hidden[num] = <int16_t>(sum_of_places - drawn[n])
            num += 1
    taken = min(num, guess.more)
    for n in range(taken):
        place = draw_place(hidden, n, num, rng)
        turn(board, place, STORED_ITEM ^ (STORED_BLOCK if (guess.more - n) & 1 else STORED_FLOOR))
    return taken


cdef inline int32_t foe_at(const Params *k, Guess *guess, int32_t n) noexcept nogil:
    """Return the n-th possible place of the opponent."""
    cdef const uint64_t *rows = foes_of(k, guess)
    cdef int32_t row = 0, here = bits_count64(rows[0])
    while n >= here:
        n -= here
        row += 1
        here = bits_count64(rows[row])
    return (row + 1) * k.stride + bits_select64(rows[row], n)


cdef inline int32_t draw_foe(const Params *k, Guess *guess, const Board *board, uint64_t *rng) noexcept nogil:
    """Draw a place for the opponent uniformly; return NOWHERE if there is none. [D10]"""
    cdef int16_t places[MAX_CELLS]
    cdef int32_t n, place, count = 0
    if guess.num_foes == 0:
        return NOWHERE
    place = foe_at(k, guess, <int32_t>masume_below(rng, guess.num_foes))
    if not is_boxed(k, board, place):
        return place
    for n in range(guess.num_foes):        # rare: then draw among the places that are not boxed in
        place = foe_at(k, guess, n)
        places[count] = <int16_t>place
        count += not is_boxed(k, board, place)
    return places[masume_below(rng, count)] if count else NOWHERE


cdef inline int32_t draw_position(const Params *k, Sampler *sampler, Board *board, uint64_t *rng) noexcept nogil:
    """Draw a position that satisfies D1 to D10 into a zeroed board; return -1 if the bounded tries find none."""
    cdef const Starts *starts = &sampler.starts
    cdef const Board *now = sampler.now
    cdef int32_t o = 1 - sampler.player, row, place = NOWHERE, tries = TRIES * starts.rows * starts.columns, items
    cdef double left
    cdef Guess *guess
    while True:
        if tries == 0:
            return -1
        tries -= 1
        # draw a start by its weight
        left = (masume_next(rng) >> 11) * (1.0 / 9007199254740992.0) * starts.total
        row = pick_weighted(starts.of_row, starts.rows, &left)
        guess = guess_of(k, sampler, row * starts.columns
                         + pick_weighted(&starts.weights[row * starts.columns], starts.columns, &left))
        if not guess.is_possible:
            continue
        # fill what is unknown, and take the items that the opponent may have
        memcpy(board.cells, cells_of(k, guess), k.words * sizeof(uint32_t))
        board.items[o] = <int16_t>guess.taken
        if sampler.known.mirrored:
            draw_pairs(k, guess, board, rng)
            items = guess.items
        else:
            items = draw_cells(k, guess, board, rng)
        if guess.more > 0:
            board.items[o] += <int16_t>take_hidden(
                k, guess, board, unknown_of(k, guess) + (guess.blocks if sampler.known.mirrored else 0), items,
                sampler.known.mirrored, rng)
        # place the opponent; without a place for it begin again
        place = draw_foe(k, guess, board, rng)
        if place != NOWHERE:
            break
    turn(board, place, load_cell(board, place) ^ STORED_FLOOR)
    board.half = now.half
    board.winner = ONGOING
    board.items[sampler.player] = now.items[sampler.player]
    board.place[o] = <int16_t>place
    board.place[sampler.player] = <int16_t>guess.place
    return 0
