// Parts of a cluster (`npm run cluster`) fail while clients write to both stores, upload images and get webhooks, and a practice is converted: no
// acknowledged write is lost, none is made twice, every event is delivered, and the cluster heals within a minute. `npm run faults` lets more
// parts fail, and more often.
import { createHash } from "node:crypto";
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { chunks, db, sql } from "@/lib/platform/db/sql";
import { groupBy } from "@/lib/platform/objects";
import { build } from "@/scripts/lib/build-steps.mjs";
import { hasClusterPrograms } from "@/scripts/lib/cluster/programs.mjs";
import { hasSwift } from "@/scripts/lib/cluster/swift.mjs";
import { inRoot } from "@/scripts/lib/paths.mjs";
import {
  countLoad,
  expectAcknowledged,
  expectAudited,
  expectDeadline,
  expectReported,
  expectStoresIntact,
  expectVerified,
  type Load,
  prepareLoad,
  underLoad,
} from "../support/cluster-load";
import { longestGap } from "../support/faults/checks";
import { type Conversion, prepareConversion } from "../support/faults/conversion";
import { FAULTS } from "../support/faults/faults";
import { untilHealed, untilQuiet } from "../support/faults/healing";
import { type FaultName, findFaults, USUAL_FAULTS } from "../support/faults/names.mjs";
import {
  appendRound,
  type FaultRound,
  findMissing,
  readRevision,
  readRounds,
  summarize,
} from "../support/faults/report";
import { renewStandbys, untilStandbysServe } from "../support/faults/standbys";
import { until } from "../support/faults/until";
import { startWorld, type World, whyUnsupported } from "../support/faults/world";
import { countFailures } from "../support/faults/writer";
import { randomFrom } from "../support/fuzz-values";
import { runScript } from "../support/run-script";

/** A round of a client has four writes. */
const ROUND = 4;
const CONVERTED = 40;
const HEAL_MS = 60_000;
/** What a fault may take until it is repaired. */
const FAULT_MS = 90_000;
/** Longer than any round that heals in time. Then it has failed, and what it still does is stopped. */
const ROUND_MS = 420_000;
/** A round, and the start of another cluster if it has failed. */
const TEST_MS = ROUND_MS + 180_000;
const { FAULT_ROUNDS, FAULT_FIRST, FAULT_SEED, FAULT_NAMES = "", FAULT_FILE } = process.env;
const ROUNDS = Number(FAULT_ROUNDS ?? 1);
const FIRST = Number(FAULT_FIRST ?? 1);
const SEED = Number(FAULT_SEED ?? 1);

const NAMES: readonly FaultName[] = FAULT_ROUNDS === undefined ? USUAL_FAULTS : findFaults(FAULT_NAMES);
/** Returns why a fault can't be tried here, or null. */
const findObstacle = (name: FaultName) => {
  const { needs } = FAULTS[name];
  return needs ? whyUnsupported(needs) : null;
};
const supported = NAMES.filter((name) => findObstacle(name) === null);
/** A round of each fault, then the next of each: a run that is stopped has tried all. */
const PLAN = Array.from({ length: ROUNDS }, (_, at) => supported.map((fault) => ({ fault, round: FIRST + at }))).flat();
const readFile = () => (FAULT_FILE ? readRounds(FAULT_FILE) : []);
/** The rounds of a cluster, whose files are in memory if a disk is to be full: three copies of the database, which grow with each round. */
const CLUSTER_ROUNDS = 36;

/** `npm run faults` must not end without a result. */
const canSkip = FAULT_ROUNDS === undefined;

/** Generates the same numbers for a round, whichever rounds ran before. */
function randomOf(fault: FaultName, round: number) {
  return randomFrom(createHash("sha256").update(`${SEED} ${fault} ${round}`).digest().readUInt32BE());
}

interface FaultOptions {
  load: Load;
  conversion: Conversion;
  isOver: () => boolean;
  /** Gets the time of the repair. */
  onRepair: (at: number) => void;
}

const canRun = !canSkip || (hasClusterPrograms() && hasSwift());
const rounds: FaultRound[] = [];
/** Read once: another commit may be checked out meanwhile. */
const REVISION = readRevision();

beforeAll(async () => {
  if (!canRun) return;
  for (const name of NAMES) if (!supported.includes(name)) console.warn(`skipped: ${name} (${findObstacle(name)})`);
  await build();
}, 180_000);
afterAll(() => {
  if (canRun) console.table(summarize(FAULT_FILE ? readFile() : rounds));
});

const plans = Array.from(chunks(findMissing(PLAN, SEED, readFile()), CLUSTER_ROUNDS), (plan) => ({ plan }));
describe.runIf(canRun).each(plans)("a cluster", ({ plan }) => {
  /** What was written to this cluster in earlier rounds. */
  let earlier: Load[] = [];
  let world: World;

  beforeAll(async () => {
    world = await startSupported();
  }, 300_000);
  afterAll(() => world?.stop());

  test.each(plan)("loses and doubles nothing while $fault ($round)", { timeout: TEST_MS }, async ({ fault, round }) => {
    const { problem } = await tryRound(fault, round);
    expect(problem).toBeNull();
  });

  const startSupported = () => startWorld(new Set(supported.flatMap((name) => FAULTS[name].needs ?? [])));

  /** Runs a round of a fault, and keeps its result. After a failure, keeps the logs and goes on with a new cluster. */
  async function tryRound(fault: FaultName, number: number): Promise<FaultRound> {
    const began = performance.now();
    const round: FaultRound = {
      ...{ fault, seed: SEED, round: number, date: new Date().toISOString(), revision: REVISION, problem: null },
      ...{ faultMs: null, healedMs: null, withoutServiceMs: null, roundMs: 0 },
      ...{ writes: 0, lost: null, doubled: null, failures: 0, standbyReads: null },
    };
    const stop = new AbortController();
    const limit = setTimeout(ROUND_MS, null, { signal: stop.signal }).then(() => {
      throw new Error(`the round did not end within ${ROUND_MS / 1_000} s`);
    });
    try {
      await Promise.race([runRound(round, stop.signal), limit]);
    } catch (error) {
      round.problem = (error as Error).stack ?? String(error);
    }
    stop.abort();
    await limit.catch(() => {});
    round.roundMs = performance.now() - began;
    rounds.push(round);
    if (FAULT_FILE) appendRound(FAULT_FILE, round);
    if (round.problem) {
      world.keepLogs(inRoot("test-results/faults", `${round.date.replaceAll(":", "-")} ${fault}`));
      earlier = [];
      await world.stop();
      world = await startSupported();
    }
    return round;
  }

  /** Runs a round, and adds to its result what is known so far. */
  async function runRound(round: FaultRound, signal: AbortSignal): Promise<void> {
    const { basics, cluster, webhooks, standbyReads } = world;
    const { organization } = basics;
    const { converted = CONVERTED, deadline } = FAULTS[round.fault];
    await until(() => cluster.databases.isHealthy(), HEAL_MS);
    const load = await prepareLoad({ url: cluster.url, organization, hasDeadline: deadline !== undefined });
    const conversion = await prepareConversion(organization, converted);
    for (const { practice } of [load, conversion]) await webhooks.listenTo(practice);
    const count = () => {
      const writes = load.writers.flatMap((writer) => writer.writes);
      round.writes = writes.length;
      round.failures = countFailures(load.writers);
      round.withoutServiceMs = longestGap(writes);
    };
    const readsBefore = await standbyReads.count();
    let repaired = Number.POSITIVE_INFINITY;
    const onRepair = (at: number) => {
      repaired = at;
    };
    await underLoad(load, signal, (isOver) => injectFault(round, { load, conversion, isOver, onRepair })).finally(
      count,
    );
    round.standbyReads = (await standbyReads.count()) - readsBefore;
    await conversion.finish();
    await untilQuiet(HEAL_MS);
    Object.assign(round, await countLoad(load));
    await expectAcknowledged(load);
    if (deadline) expectDeadline(load, deadline, repaired);
    await expectStoresIntact(load);
    await expectAudited(load);
    await expectVerified(conversion.practice);
    await expectWebhooks(load, conversion);
    // What the round before has left must survive this one.
    for (const one of earlier.slice(-1)) await expectAcknowledged(one);
    earlier.push(load);
  }

  /** Lets something fail under load, and waits until the cluster has healed. */
  async function injectFault(round: FaultRound, { load, conversion, isOver, onRepair }: FaultOptions): Promise<void> {
    const { writers, practice, token } = load;
    const fault = FAULTS[round.fault];
    const random = randomOf(round.fault, round.round);
    const haveWritten = (least: number) => writers.every(({ writes }) => writes.length >= least);
    const most = () => Math.max(...writers.map(({ writes }) => writes.length));
    const untilLoad = (condition: () => boolean) => until(() => isOver() || condition(), FAULT_MS);
    const untilWritten = (more: number) => {
      const least = most() + more;
      return untilLoad(() => haveWritten(least));
    };
    const untilFailures = (more: number) => {
      const least = countFailures(writers) + more;
      return untilLoad(() => countFailures(writers) >= least);
    };
    await untilLoad(() => haveWritten(2 * ROUND));
    // Once in each cluster, before anything has failed.
    if ((await world.standbyReads.count()) === 0) await untilStandbysServe(world, isOver);
    await conversion.start();
    if (!fault.converted) await setTimeout(random() * 1_000);
    const injected = performance.now();
    await fault.inject({ ...world, random, writers, conversion, practice, token, untilWritten, untilFailures });
    const repaired = performance.now();
    round.faultMs = repaired - injected;
    onRepair(repaired);
    // The last write of a client has begun, and need not be acknowledged.
    const least = most() + 2 * ROUND + 1;
    await untilHealed(world, () => isOver() || haveWritten(least), HEAL_MS);
    round.healedMs = performance.now() - repaired;
    // Clients must see their writes in the reads of standbys that follow the new primary, too.
    if (await renewStandbys(world)) await untilStandbysServe(world, isOver);
  }

  /** Expects the endpoint to have accepted each event, and these to be exactly one for each write and each converted patient. */
  async function expectWebhooks(load: Load, conversion: Conversion): Promise<void> {
    const { accepted, receiver } = world.webhooks;
    const events = await db.rows<{ event_uuid: string }>(sql`
      SELECT event_uuid FROM published_event WHERE practice_id IN (${load.practice}, ${conversion.practice})`);
    expect(events.filter(({ event_uuid }) => !accepted.has(event_uuid))).toEqual([]);
    expectReported(load, accepted.values());
    const patients = await db.rows<{ id: number }>(
      sql`SELECT id FROM patient WHERE practice_id = ${conversion.practice}`,
    );
    const reported = groupBy([...accepted.values()], ({ patient }) => patient);
    expect(patients.length).toBe(conversion.patients);
    expect(patients.filter(({ id }) => reported.get(id)?.length !== 1)).toEqual([]);
    accepted.clear();
    receiver.requests.length = 0;
  }

  test("has kept everything of all rounds", { timeout: 3_600_000 }, async () => {
    for (const load of earlier) await expectAcknowledged(load);
  });

  test("has an audit log that verifies", { timeout: 3_600_000 }, async () => {
    const { code, stdout, stderr } = await runScript("audit-verify.ts", []);
    expect([code, stderr], stdout).toEqual([0, ""]);
  });
});

// With the last rounds already in the file, this is all there is to run.
test.runIf(FAULT_FILE)("the file has all rounds", () => {
  expect(findMissing(PLAN, SEED, readFile())).toEqual([]);
});
