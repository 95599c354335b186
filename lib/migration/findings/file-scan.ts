import { type RawRecord, recordsOf } from "@/lib/migration/record/raw-record";
import { personHash, recordKey } from "@/lib/migration/record/staged-record";
import type { ExamineContext } from "./examine-record";

type Neighbors = Pick<ExamineContext, "reusedIds" | "repeats" | "isOnEarlierRecord" | "isKnownPerson">;

/**
 * Tracks what records of a file share. The first pass collects repeated insurance ids, and the second looks them up in
 * file order. Runs read the same from the database.
 */
export class FileScan {
  readonly #current = new Set<string>();
  readonly #reused = new Set<string>();
  readonly #seen = new Set<string>();
  readonly #repeated = new Set<string>();
  readonly #visited = new Set<string>();
  readonly #patients = new Map<string, number>();
  readonly #people = new Set<string>();

  /** Collects the ids of a record in the first pass. */
  note(record: RawRecord): void {
    for (const id of idsIn(record.insurances)) {
      if (!isNew(this.#current, id)) this.#reused.add(id);
      if (!isNew(this.#seen, id)) this.#repeated.add(id);
    }
    for (const id of idsIn(record.deleted_insurances)) if (!isNew(this.#seen, id)) this.#repeated.add(id);
  }

  /** Returns what a record shares with others, in the second pass. */
  visit(record: RawRecord, line: number): Neighbors {
    const key = recordKey(record);
    const repeats = this.#patients.get(key) ?? null;
    if (key !== "" && repeats === null) this.#patients.set(key, line);
    const ids = [...idsIn(record.insurances), ...idsIn(record.deleted_insurances)].filter((id) =>
      this.#repeated.has(id),
    );
    const earlier = new Set(ids.filter((id) => this.#visited.has(id)));
    for (const id of ids) this.#visited.add(id);
    const isKnown = !isNew(this.#people, personHash(record) ?? "");
    return {
      reusedIds: this.#reused,
      repeats,
      isOnEarlierRecord: (id) => earlier.has(id),
      isKnownPerson: () => isKnown,
    };
  }
}

const idsIn = (list: unknown) =>
  recordsOf(list)
    .map(recordKey)
    .filter((id) => id !== "");

/** Adds a value and returns whether it is new. */
function isNew<T>(seen: Set<T>, value: T): boolean {
  const before = seen.size;
  return seen.add(value).size > before;
}
