import type { Region } from "./assumptions";
import type { Need, Practice } from "./population";

/** What a cell can do. */
export interface Capacity {
  cores: number;
  bytes: number;
  wal: number;
  patients: number;
}

export interface Cell {
  id: number;
  region: Region;
  practices: Practice[];
  /** The sum of what its practices need. */
  need: Need;
}

export interface Move {
  practice: Practice;
  from: number;
  to: number;
}

const NOTHING: Need = { cores: Array.from({ length: 24 }, () => 0), bytes: 0, wal: 0, patients: 0 };

/** Returns which part of a cell is used: that of its scarcest resource, in its busiest hour. */
export function usedPart(need: Need, capacity: Capacity): number {
  const { cores, bytes, wal, patients } = usedParts(need, capacity);
  return Math.max(cores, bytes, wal, patients);
}

function usedParts(need: Need, { cores, bytes, wal, patients }: Capacity): Capacity {
  return {
    cores: Math.max(...need.cores) / cores,
    bytes: need.bytes / bytes,
    wal: need.wal / wal,
    patients: need.patients / patients,
  };
}

/** Names the scarcest resource of a cell. */
export function scarcest(need: Need, capacity: Capacity): keyof Capacity {
  const parts = usedParts(need, capacity);
  const names = Object.keys(parts) as (keyof Capacity)[];
  return names.reduce((most, name) => (parts[name] > parts[most] ? name : most));
}

/**
 * Places practices in cells of their region, the largest first, each in the fullest cell where it fits. Where none has room, a cell is added.
 * A practice that needs more than `fill` of a cell gets one for itself.
 *
 * @param fill the part of a cell that may be used
 */
export function place(practices: readonly Practice[], capacity: Capacity, fill: number): Cell[] {
  const cells: Cell[] = [];
  for (const practice of largestFirst(practices, capacity))
    add(practice, findCell(practice, cells, capacity, fill) ?? open(cells, practice));
  return cells;
}

/**
 * Moves practices out of cells that use more than `limit`, as few as possible: from each, the largest practice first that brings it below
 * the limit or comes closest. Cells are added if no other has room within `fill`. Changes the cells.
 */
export function rebalance(cells: Cell[], capacity: Capacity, { fill, limit }: { fill: number; limit: number }): Move[] {
  const moves: Move[] = [];
  for (const cell of [...cells]) {
    while (usedPart(cell.need, capacity) > limit && cell.practices.length > 1) {
      const practice = pickToMove(cell, capacity, limit);
      remove(practice, cell);
      const others = cells.filter((other) => other !== cell);
      const target = findCell(practice, others, capacity, fill) ?? open(cells, practice);
      add(practice, target);
      moves.push({ practice, from: cell.id, to: target.id });
    }
  }
  return moves;
}

/** Picks the smallest practice whose move is enough, or the largest if none is. */
function pickToMove({ practices, need }: Cell, capacity: Capacity, limit: number): Practice {
  const sorted = largestFirst(practices, capacity).reverse();
  const enough = sorted.find((practice) => usedPart(subtract(need, practice), capacity) <= limit);
  return enough ?? (sorted.at(-1) as Practice);
}

/**
 * Fills a new cell of a region from the others with several practices, the fullest first, until all use about the same. Moves the largest
 * practices that fit, so that there are few moves. Changes the cells.
 */
export function fillNewCell(cells: Cell[], region: Region, capacity: Capacity): Move[] {
  const used = ({ need }: Cell) => usedPart(need, capacity);
  const others = cells.filter((cell) => cell.region === region && cell.practices.length > 1);
  const goal = others.reduce((total, other) => total + used(other), 0) / (others.length + 1);
  const cell: Cell = { id: cells.length, region, practices: [], need: NOTHING };
  cells.push(cell);
  const moves: Move[] = [];
  for (;;) {
    const sources = others.filter((other) => used(other) > goal).sort((one, other) => used(other) - used(one));
    const found = sources
      .map((source) => ({ source, practice: pickToGive(source, cell, { capacity, goal }) }))
      .find(({ practice }) => practice !== undefined);
    if (!found?.practice) return moves;
    remove(found.practice, found.source);
    add(found.practice, cell);
    moves.push({ practice: found.practice, from: found.source.id, to: cell.id });
  }
}

/** Picks the largest practice that brings neither cell past the goal. */
function pickToGive(
  source: Cell,
  target: Cell,
  { capacity, goal }: { capacity: Capacity; goal: number },
): Practice | undefined {
  return largestFirst(source.practices, capacity).find(
    (practice) =>
      usedPart(sum(target.need, practice), capacity) <= goal &&
      usedPart(subtract(source.need, practice), capacity) >= goal * 0.99,
  );
}

function largestFirst(practices: readonly Practice[], capacity: Capacity): Practice[] {
  const sizes = new Map(practices.map((practice) => [practice, usedPart(practice, capacity)]));
  return [...practices].sort((a, b) => (sizes.get(b) ?? 0) - (sizes.get(a) ?? 0) || a.id - b.id);
}

function findCell(practice: Practice, cells: readonly Cell[], capacity: Capacity, fill: number): Cell | null {
  let best: { cell: Cell; used: number } | null = null;
  for (const cell of cells) {
    if (cell.region !== practice.region) continue;
    // Most cells are full, and these two need no sums of 24 hours.
    if (cell.need.bytes + practice.bytes > fill * capacity.bytes) continue;
    if (cell.need.patients + practice.patients > fill * capacity.patients) continue;
    const used = usedPart(sum(cell.need, practice), capacity);
    if (used <= fill && used > (best?.used ?? -1)) best = { cell, used };
  }
  return best?.cell ?? null;
}

function open(cells: Cell[], { region }: Practice): Cell {
  const cell: Cell = { id: cells.length, region, practices: [], need: NOTHING };
  cells.push(cell);
  return cell;
}

function add(practice: Practice, cell: Cell): void {
  cell.practices.push(practice);
  cell.need = sum(cell.need, practice);
}

function remove(practice: Practice, cell: Cell): void {
  cell.practices.splice(cell.practices.indexOf(practice), 1);
  // Adding up again instead of subtracting leaves no rounding errors.
  cell.need = cell.practices.reduce(sum, NOTHING);
}

/** Adds two needs. */
export function sum(a: Need, b: Need): Need {
  return combine(a, b, 1);
}

const subtract = (a: Need, b: Need): Need => combine(a, b, -1);

function combine(a: Need, b: Need, sign: 1 | -1): Need {
  return {
    cores: a.cores.map((each, hour) => each + sign * (b.cores[hour] ?? 0)),
    bytes: a.bytes + sign * b.bytes,
    wal: a.wal + sign * b.wal,
    patients: a.patients + sign * b.patients,
  };
}
