// Random damage to exports, the same for the same seed: flipped bytes, cut, merged and moved lines, moved columns.
import type { Dice } from "@/prisma/seed/people";

type Damage = (lines: Buffer[], dice: Dice) => void;

const at = (list: readonly unknown[], dice: Dice) => dice.between(0, list.length - 1);

const flipBytes =
  (most: number): Damage =>
  (lines, dice) => {
    for (let count = dice.between(1, most); count > 0; count--) {
      const line = lines[at(lines, dice)];
      if (line && line.length > 0) line[dice.between(0, line.length - 1)] = dice.between(0, 255);
    }
  };

const edit =
  (change: (line: Buffer, dice: Dice) => Buffer): Damage =>
  (lines, dice) => {
    const place = at(lines, dice);
    lines[place] = change(lines[place] as Buffer, dice);
  };

const cutEnd = edit((line, dice) => line.subarray(0, dice.between(0, line.length)));
const cutStart = edit((line, dice) => line.subarray(dice.between(0, line.length)));
const putQuote = edit((line, dice) => {
  const place = dice.between(0, line.length);
  return Buffer.concat([line.subarray(0, place), Buffer.from('"'), line.subarray(place)]);
});
const moveColumns = edit((line, dice) => {
  const cells = line.toString("latin1").split(",");
  const [moved = ""] = cells.splice(at(cells, dice), 1);
  cells.splice(dice.between(0, cells.length), 0, moved);
  return Buffer.from(cells.join(","), "latin1");
});
const addColumn = edit((line, dice) => {
  const cells = line.toString("latin1").split(",");
  cells.splice(dice.between(0, cells.length), 0, "");
  return Buffer.from(cells.join(","), "latin1");
});

const loseLine: Damage = (lines, dice) => void lines.splice(at(lines, dice), 1);
const mergeLines: Damage = (lines, dice) => {
  const place = at(lines, dice);
  lines.splice(place, 2, Buffer.concat(lines.slice(place, place + 2)));
};
const splitLine: Damage = (lines, dice) => {
  const place = at(lines, dice);
  const line = lines[place] as Buffer;
  const middle = dice.between(0, line.length);
  lines.splice(place, 1, line.subarray(0, middle), line.subarray(middle));
};
const repeatLine: Damage = (lines, dice) => {
  lines.splice(at(lines, dice), 0, Buffer.from(lines[at(lines, dice)] as Buffer));
};
const moveLine: Damage = (lines, dice) => {
  const [moved] = lines.splice(at(lines, dice), 1);
  if (moved) lines.splice(dice.between(0, lines.length), 0, moved);
};

const DAMAGES: readonly (readonly [name: string, damage: Damage])[] = [
  ["one byte flipped", flipBytes(1)],
  ["bytes flipped", flipBytes(20)],
  ["end of a line cut", cutEnd],
  ["start of a line cut", cutStart],
  ["a quote inserted", putQuote],
  ["columns moved", moveColumns],
  ["a column inserted", addColumn],
  ["a line lost", loseLine],
  ["two lines merged", mergeLines],
  ["a line split", splitLine],
  ["a line repeated", repeatLine],
  ["a line moved", moveLine],
];

/** Damages an export in one to three ways; the header row stays intact three times out of four. */
export function damageExport(
  content: Buffer,
  dice: Dice,
  { isTable }: { isTable: boolean },
): { content: Buffer; what: string } {
  const text = content.toString("latin1").replace(/\n$/, "");
  const lines = text.split("\n").map((line) => Buffer.from(line, "latin1"));
  const kept = isTable && dice.roll() < 0.75 ? lines.splice(0, 1) : [];
  const done: string[] = [];
  for (let count = dice.between(1, 3); count > 0 && lines.length > 0; count--) {
    const [name, damage] = dice.pick([...DAMAGES]);
    damage(lines, dice);
    done.push(name);
  }
  const newline = Buffer.from("\n");
  return { content: Buffer.concat([...kept, ...lines].flatMap((line) => [line, newline])), what: done.join(", ") };
}
