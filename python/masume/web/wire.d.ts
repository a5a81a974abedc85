// The types of the scripts: what the server says and is sent (docs/decisions/0018-page.md), and what draw.js makes of it.
// Scripts name them in comments; `make check` compares.

declare namespace Wire {
  type Point = [x: number, y: number];
  type Tile = [mark: string, shape: string, player: number, name: string, glyph: string];
  type Unit = [player: number, name: string, shape: string, foot: string];
  type Shape = [name: string, letter: string, paths: [tone: string, commands: string][]];

  /** What stays the same in all frames of a game. */
  interface Scene {
    title: string;
    width: number;
    height: number;
    hexes: number[]; // x, y of each cell; empty on square boards
    columns: string[];
    rows: string[];
    players: string[];
    scores: string[];
    tiles: Tile[];
    values: number[];
    units: Unit[];
    verbs: [name: string, shape: string][];
    outcomes: [name: string, badge: string][];
    shapes: Record<string, Shape>;
  }

  /** A frame as its differences from the one before (render/pack.py); lists of two things in turn, one after the other. */
  interface Packed {
    caption?: string;
    scores?: (number | null)[][];
    cells?: (number | string)[]; // the first cell of a run, its marks
    places?: number[]; // unit, cell
    notes?: (number | string)[]; // cell, note
    looks?: (number | string)[]; // unit, shape
    pips?: (number | number[] | string)[]; // unit, what is left and what was at first
    glyphs?: (number | string)[]; // cell, shape
    faint?: number[];
    acts?: (number | number[])[]; // unit, verb, target or cells on the way and target, outcome
    log?: (string | number)[]; // a number: that line of the frame that shows everything
    text?: string;
    n?: number;
    turn?: number;
    ply?: number;
    whole?: boolean;
  }

  interface Act {
    unit: number;
    verb: number;
    outcome: number;
    target: number;
    via: number[];
  }

  /** What is known of some cells or units. */
  interface Maps {
    notes: Map<number, string>;
    looks: Map<number, string>;
    pips: Map<number, Point>;
    glyphs: Map<number, string>;
  }

  interface Frame extends Maps {
    caption: string;
    scores: (number | null)[][];
    cells: string;
    places: number[];
    faint: number[];
    acts: Act[];
    log: string[];
    text?: string;
  }

  interface Box {
    left: number;
    right: number;
    top: number;
    bottom: number;
  }

  /** A frame and the one before it. */
  type Pair = [frame: Frame, before: Frame];

  /** Shapes are commands of an SVG path from the middle of a cell. */
  interface Shapes {
    half: number;
    cell: string;
    solid: string[];
    hatch: string[];
    edges: [right: number, down: number, line: string][]; // half columns and rows to a neighbour, the line towards it
  }

  interface Grid {
    shapes: Shapes;
    spots: Point[]; // half columns and rows
    names: string[];
    rows: [x: number, y: number, name: string][];
    columns: [x: number, y: number, name: string][];
    centres: Point[];
    size: Point;
  }

  type Game = Scene & { grid: Grid };

  interface Line {
    points: number[][];
    kind: string;
    name: string;
  }

  interface Chart {
    svg: SVGSVGElement;
    x: (value: number) => number;
    y: (value: number) => number;
    height: number;
  }

  /** A game of a report; a view has what differs for a player. */
  interface Recorded extends Scene {
    frames: Packed[];
    views?: (Partial<Scene> & { frames?: Packed[] })[];
    names: string[];
    seed: string;
    ended: string;
    noted?: [player: number, ply: number, cause: string, detail: string, log: string][];
  }

  /** What of it is shown: all, or what a player knew. */
  type Shown = Game & Omit<Recorded, "frames"> & { frames: Frame[] };

  /** The element `data` of a page: of reports, and of the live page. */
  interface Data {
    canvas: {
      cell: number;
      pitch: number;
      margin: number;
      edge: number;
      square: Shapes;
      hexagon: Shapes;
      glyphs: Record<string, string>;
      bricks: string;
      small: number;
      lift: number;
      pips: number;
    };
    words: Record<string, string>;
  }
  interface ReportData extends Data {
    games: Recorded[];
    good: number;
    shown: string;
    throughput: number[][];
  }
  interface PageData extends Data {
    language: string;
    languages: string[];
    games: string[];
    makers: string[];
    menus: string[];
    titles: Record<string, string>;
    invites: Record<string, Invite>;
    base: string;
    boot: string;
    contest: boolean;
    isHost: boolean;
  }

  /** What the lobby says of a game, and the first match in it. */
  interface Invite {
    about: string;
    players: number;
    minutes: number;
    level: string;
    start: string;
    variant: string;
    ready: boolean; // whether an agent sets up the pieces
    lessons: string[];
  }

  /** The elements of the pages that are no plain HTMLElement, by their ids. */
  interface Elements {
    data: HTMLScriptElement;
    games: HTMLSelectElement;
    views: HTMLSelectElement;
    speed: HTMLSelectElement;
    slider: HTMLInputElement;
    first: HTMLButtonElement;
    back: HTMLButtonElement;
    play: HTMLButtonElement;
    forward: HTMLButtonElement;
    last: HTMLButtonElement;
    noted: HTMLDetailsElement;
    board: SVGSVGElement & HTMLElement;
    language: HTMLSelectElement;
    level: HTMLSelectElement;
    start: HTMLSelectElement;
    variant: HTMLSelectElement;
    side: HTMLSelectElement;
    against: HTMLSelectElement;
    clock: HTMLSelectElement;
    name: HTMLInputElement;
    seed: HTMLInputElement;
    number: HTMLInputElement;
    begin: HTMLButtonElement;
  }

  type Find = <K extends string>(id: K) => K extends keyof Elements ? Elements[K] : HTMLElement;

  /** Of an element that is made: functions are listeners. */
  type Attributes<E> = Record<
    string,
    string | number | boolean | null | undefined | ((event: MouseEvent & KeyboardEvent & { target: E }) => unknown)
  >;

  type Child = Node | string | null | undefined;

  type Make = <K extends keyof HTMLElementTagNameMap>(
    tag: K | `${K}.${string}`,
    first?: Attributes<HTMLElementTagNameMap[K]> | Child,
    ...children: Child[]
  ) => HTMLElementTagNameMap[K];

  type Phase = "waiting" | "ready" | "running" | "paused" | "over" | "broken";

  interface Recipe {
    game: string;
    seats: string[];
    [option: string]: unknown;
  }

  /** A lesson as far as it is played; "shown": its solution was. */
  interface Lesson {
    name: string;
    title: string;
    text: string;
    par: number;
    most: number;
    used: number;
    state: "open" | "reached" | "failed" | "shown";
    stars: number;
    number: number;
    all: number;
    next: string; // the name of the next one; empty after the last
  }

  interface Match {
    id: string;
    game: string;
    phase: Phase;
    players: string[];
    names: string[];
    mine: number[];
    winners: number[];
    why: string;
    scores: (number | null)[][]; // of the last position, once the match is over
    plies: number | null;
    missing: number[];
    people: number[];
    here: number[]; // of the people, whose page is open
    hides: boolean;
    mover: number;
    deciding: number[];
    left_ms: (number | null)[];
    halted: string;
    detail: string;
    views: (number | "all")[];
    noted: [player: number, ply: number, cause: string, detail: string][];
    hosting: boolean;
    away?: number[];
    invitations?: Record<string, string>;
    links?: Record<string, string>;
    recipe?: Recipe;
    lesson: Lesson | null;
    next?: Next | null;
  }

  /** What those who have played each other play next. */
  interface Next {
    number: number;
    board: string;
    asked: "" | "rematch" | "swap" | "board";
    by: number;
    agreed: number[];
    refused: number[];
    id: string;
  }

  /** The links to a free seat that other machines can open, with codes; none: the command that opens the page to them. */
  interface Invitation {
    links: { link: string; size: number; path: string }[];
    command: string;
  }

  interface Met {
    match: Match;
    scene: Scene;
    frame: Packed & { n: number };
    view: number | "all";
    count: number;
    hidden?: string;
  }

  /** Actions of one verb: unit k of `units` decides slots[k]; the action for to[i] is codes[i], or base + to[i]. */
  interface Choice {
    word: string;
    verb: number;
    units: number[];
    slots: number[];
    from: number;
    to: number[];
    base: number;
    codes?: number[];
    amount?: { max: number[]; times: number };
    notes?: string[];
    ways?: string[];
    warns?: string[];
    brings?: [texts: string[], of: number[]]; // what comes of each action
  }

  interface Pad {
    keys: "arrows" | "letters";
    groups: [verbs: number[], key: string, isShown?: boolean][];
    only?: boolean;
    rest?: string;
    next?: boolean;
    tools?: boolean;
    random?: string;
    change?: string; // begins anew with another set-up
  }

  interface Ask {
    id: string;
    version: number;
    left_ms: number | null;
    held: boolean;
    player: number;
    legal: Choice[];
    plan: [slot: number, action: number][];
    slots: number[];
    size: number;
    undo: boolean;
    redo: boolean;
    done: boolean;
    forecast?: number[] | null;
    pad?: Pad;
    task?: string;
    notebook?: { name: string; text: string; cells: number[] }[];
  }

  type Step = ["do", slot: number, action: number] | ["undo"] | ["redo"];

  /** One action of a question. */
  interface Move {
    unit: number;
    slot: number;
    target: number;
    start: number;
    verb: number;
    word: string;
    shape: string;
    code: number;
    most: number;
    times: number;
    note: string;
    way: string;
    warn: string;
    brings: string;
  }

  /** A text is a price; of an order, the sign of its verb. */
  type Mark = [cell: number, shape: string, text?: string, from?: number, unit?: number];

  type Brush = [
    mark: string,
    name: string,
    shape: string,
    player: number,
    glyph: string,
    unit: string,
    cycle: string,
    look: string,
  ];
  type Kind = [letter: string, name: string, amount: number];

  /** What an editor offers. */
  interface Desk {
    game: string;
    title: string;
    suffix: string;
    brushes: Brush[];
    numbers: Point | null;
    sizes: Point[];
    fields: { key: string; name: string; low: number | null; high: number; whole: boolean }[];
    kinds: { name: string; word: string; glyph: string; letters: string; low: number; high: number } | null;
    symmetries: [key: string, word: string][];
    symmetry: string;
    letters: string;
    shapes: Record<string, Shape>;
    starts: string[];
    tasks: string[];
  }

  interface Sheet {
    size: number[];
    cells: (string | number)[];
    spots: Point[];
    fields: Record<string, string | number>;
    kinds: Kind[];
  }

  interface Checked {
    valid: boolean;
    text: string;
    error?: string;
    cells?: number[];
    players?: number;
    findings?: { text: string; cells: number[] }[];
    facts?: [word: string, value: string][];
  }

  /** What a game of persons may be: levels, starts, variants, clocks. */
  /** A line of a guide, with the shape or the tile that it is about. */
  interface GuideRow {
    cells: string[];
    shape: string;
    tile: string;
    player: number;
  }

  interface GuideSection {
    name: string;
    rows: GuideRow[];
    heads: string[];
  }

  interface Guide {
    about: string;
    help: string[];
    sections: GuideSection[];
    endings: string[];
    pad: Pad | null;
  }

  interface Offer {
    about: string;
    help: string[];
    levels: string[];
    called: Record<string, [name: string, text: string]>; // what people call each level, and what it does
    level: string;
    starts: string[];
    needs_start: boolean;
    variants: string[];
    clocks: string[];
    words: Record<string, string>;
    seats: string[];
    players: number;
    sizes: Record<string, number>;
  }

  interface Card {
    name: string;
    text: string;
    note: string;
    side: number;
    players: number;
    start: string;
    variant: string;
    scene: Scene;
    frame: Packed & { n: number };
  }
  interface Menu {
    title: string;
    about: string;
    levels: string[];
    called: Record<string, [name: string, text: string]>; // what people call each level, and what it does
    level: string;
    seats: string[];
    makes: boolean;
    lessons: { name: string; title: string; text: string; par: number }[];
    shelves: { name: string; cards: Card[] }[];
  }

  /** What all see of all matches. */
  interface Listed extends Match {
    at: number; // seconds since 1970 when it was shown first
    open: boolean; // whether its board may be seen
    worth: number; // watching it, once it is over
    praise: string[]; // why
  }
  interface Loop {
    scene: Scene;
    frames: (Packed & { n: number })[];
  }
  interface Lobby {
    matches: Listed[];
    all: number;
    /** Those in which this browser plays, and that go on when it opens them. */
    aside: { id: string; game: string; names: string[] }[];
    wall: Wall;
  }
  interface Wall {
    contest?: number;
    next?: string[];
    standings?: (string | number)[][];
  }

  /** A match of a contest, by the numbers of its entries. */
  interface Pairing {
    id: string;
    title: string;
    round: number;
    kind: string;
    state: "open" | "known" | "played" | "confirmed" | string;
    entries: number[];
    names: string[];
    winner: number | null;
    won: number[] | null;
    totals: number[] | null;
    leader: number | null; // who leads by the games that were played; 0: nobody
    how: "" | "walkover" | "both out" | "draw" | "lot" | "decided" | string;
    note: string; // the same in words
    parts: Record<string, number>[];
    games: { first: number[]; why: string; faults: [entry: number, cause: string, detail: string][] }[];
    result: string;
  }
  interface Row {
    number: number;
    name: string;
    place: number;
    group?: string;
    [column: string]: string | number | undefined;
  }
  interface Stage {
    name: string;
    title: string;
    heads: Record<string, string>;
    rows: Row[];
    matches: Pairing[];
  }
  interface Contest {
    title: string;
    phase: "pairing" | "game" | "result" | "over" | string;
    entries: { number: number; name: string; is_absent: boolean; has_program: boolean }[];
    stages: Stage[];
    step: { kind: string; text: string; match?: string; number: number; sure: number[]; tied: number[] };
    match: string | null;
    last: string | null;
    bot?: string;
    map?: string;
    game: string;
    orders: number[][];
    is_auto: boolean;
    lots: { sealed: string | null; secret: string | null; text: string }; // the secret once the contest is over
    screen: { screen: "follow" | "board" | "table" | "next" | "text" | string; text: string };
    desk?: DeskFacts; // for the organiser
  }
  /** What only the organiser sees of a contest. */
  interface DeskFacts {
    seen: string; // what an order must have seen
    news: string[];
    trouble: string;
    next: string;
    undo: string; // what was done last; "": nothing
    maps: string[];
    why_not_late: string; // "": another entry can be added
    places: [title: string, places: (number | null)[]][]; // of the stage that is drawn next: numbers in the order of seeds
    plays: Record<number, string>;
    kinds: string[]; // what may play for an entry, besides agents
    python: string;
    is_here: boolean; // whether this browser may hand in programs of the server's machine
  }
  /** An order of the organiser: contest/orders.py. */
  type Order =
    | { do: "draw"; entries: number[]; is_by_lot: boolean }
    | { do: "prepare" | "start" | "stop"; match: string | null }
    | { do: "pause" | "confirm" | "auto" }
    | { do: "decide"; winner: number | null; why: string }
    | { do: "replay"; map: string | null }
    | { do: "advance"; entries: number[] }
    | { do: "undo"; match: string | null; gone: number[] }
    | { do: "attend"; entry: number; is_absent: boolean }
    | { do: "enter"; name: string; play: string }
    | { do: "hand in"; entry: number; play: string }
    | { do: "screen"; screen: string; text: string };
  interface Ordered {
    said?: string[];
    gone?: [number: number, text: string][];
  }
}
