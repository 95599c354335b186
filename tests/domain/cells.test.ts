// The placement of practices on cells, which docs/scaling.md describes.
import { describe, expect, test } from "vitest";
import { ASSUMPTIONS } from "@/bench/scaling/assumptions";
import { type Cost, KINDS, type Kind } from "@/bench/scaling/costs";
import { type Capacity, type Cell, fillNewCell, place, rebalance, usedPart } from "@/bench/scaling/placement";
import { createPractices, type Practice } from "@/bench/scaling/population";

const cost: Cost = {
  serverMs: 1,
  databaseMs: 2,
  walBytes: 5_000,
  walBytesAfterCheckpoint: 20_000,
  connectionMs: 5,
  kept: { records: 1_000, audit: 500, shortLived: 300 },
  imageBytes: 0,
};
const costs = {
  costs: Object.fromEntries(KINDS.map((kind) => [kind, cost])) as Record<Kind, Cost>,
  rowBytes: { patient: 600, policy: 400, policy_version: 1_500 },
};
const CAPACITY: Capacity = { cores: 2, bytes: 200e9, wal: 20e6, patients: 600_000 };
const FILL = 0.6;

const practicesOf = (seed: number) => createPractices({ ...ASSUMPTIONS, practices: 400, seed }, costs);
const idsOf = (cells: readonly Cell[]) =>
  cells.flatMap(({ practices }) => practices.map(({ id }) => id)).sort((a, b) => a - b);
const needOf = (practices: readonly Practice[]) => ({
  bytes: practices.reduce((sum, { bytes }) => sum + bytes, 0),
  patients: practices.reduce((sum, { patients }) => sum + patients, 0),
});

function expectWhole(cells: readonly Cell[], practices: readonly Practice[]): void {
  expect(idsOf(cells), "every practice is in exactly one cell").toEqual(practices.map(({ id }) => id));
  for (const { region, practices: own, need } of cells) {
    expect(own.filter((practice) => practice.region !== region)).toEqual([]);
    expect(need.bytes).toBeCloseTo(needOf(own).bytes, -2);
    expect(need.patients).toBe(needOf(own).patients);
  }
}

const grown = ({ cores, bytes, wal, patients, ...practice }: Practice, factor: number): Practice => ({
  ...practice,
  cores: cores.map((each) => each * factor),
  bytes: bytes * factor,
  wal: wal * factor,
  patients: patients * factor,
});

/** Returns the cells with some of their practices grown, as they are before anything moves. */
function growIn(cells: readonly Cell[], factorOf: (practice: Practice) => number): Cell[] {
  return cells.map((cell) => {
    const [first, ...others] = cell.practices.map((practice) => grown(practice, factorOf(practice)));
    const alone = place([first as Practice], CAPACITY, FILL)[0] as Cell;
    const need = others.reduce(
      (sum, { cores, bytes, wal, patients }) => ({
        cores: sum.cores.map((each, hour) => each + (cores[hour] ?? 0)),
        bytes: sum.bytes + bytes,
        wal: sum.wal + wal,
        patients: sum.patients + patients,
      }),
      alone.need,
    );
    return { ...cell, practices: [first as Practice, ...others], need };
  });
}

describe.each([1, 2, 3])("with seed %i", (seed) => {
  test("practices and cells are the same for the same seed, and others for another", () => {
    expect(practicesOf(seed)).toEqual(practicesOf(seed));
    expect(place(practicesOf(seed), CAPACITY, FILL)).toEqual(place(practicesOf(seed), CAPACITY, FILL));
    expect(practicesOf(seed)).not.toEqual(practicesOf(seed + 1));
  });

  test("each practice is placed once, and no cell is fuller than allowed unless one practice fills it", () => {
    const practices = practicesOf(seed);
    const cells = place(practices, CAPACITY, FILL);
    expect(cells.length).toBeGreaterThan(3);
    expectWhole(cells, practices);
    for (const { need, practices: own } of cells) {
      if (own.length > 1) expect(usedPart(need, CAPACITY)).toBeLessThanOrEqual(FILL);
    }
  });

  test("after growth, only cells over the limit give practices away, and none that could have stayed", () => {
    const practices = practicesOf(seed);
    const factorOf = ({ id }: Practice) => (id % 5 === 0 ? 3 : 1);
    const cells = growIn(place(practices, CAPACITY, FILL), factorOf);
    const before = cells.map(({ id, need }) => ({ id, used: usedPart(need, CAPACITY) }));
    const limit = 0.8;
    const moves = rebalance(cells, CAPACITY, { fill: FILL, limit });
    expect(moves.length).toBeGreaterThan(0);
    expectWhole(cells, practices);
    const over = new Set(before.filter(({ used }) => used > limit).map(({ id }) => id));
    expect(moves.filter(({ from }) => !over.has(from))).toEqual([]);
    for (const cell of cells) {
      if (cell.practices.length > 1) expect(usedPart(cell.need, CAPACITY)).toBeLessThanOrEqual(limit);
      // With any of the practices that it gave away, the cell would be too full again.
      for (const { practice } of moves.filter(({ from }) => from === cell.id)) {
        const [again] = place(
          [practice, ...cell.practices],
          { ...CAPACITY, cores: 1e9, bytes: 1e18, wal: 1e18, patients: 1e12 },
          1,
        );
        expect(usedPart((again as Cell).need, CAPACITY)).toBeGreaterThan(limit);
      }
    }
  });

  test("a new cell takes practices of its region only, each once, and is about as full as the others", () => {
    const practices = practicesOf(seed);
    const cells = place(practices, CAPACITY, FILL);
    const moves = fillNewCell(cells, "east", CAPACITY);
    expectWhole(cells, practices);
    expect(new Set(moves.map(({ practice }) => practice.id)).size).toBe(moves.length);
    const used = cells
      .filter(({ region, practices: own }) => region === "east" && own.length > 1)
      .map(({ need }) => usedPart(need, CAPACITY));
    const average = used.reduce((sum, each) => sum + each, 0) / used.length;
    expect(moves.length).toBeGreaterThan(0);
    expect(cells.at(-1)?.practices).toHaveLength(moves.length);
    expect(used.at(-1)).toBeGreaterThan(average * 0.75);
    expect(used.at(-1)).toBeLessThanOrEqual(average * 1.02);
  });
});
