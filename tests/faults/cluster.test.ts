// Parts of a cluster (`npm run cluster`) fail while clients write to both stores, upload images and get webhooks, and a practice is converted: no
// acknowledged write is lost, none is made twice, every event is delivered, and service returns within a minute. `npm run faults` lets more
// parts fail, and more often.
import { setTimeout } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { db, sql } from "@/lib/platform/db/sql";
import { build } from "@/scripts/lib/build-steps.mjs";
import { hasClusterPrograms } from "@/scripts/lib/cluster/programs.mjs";
import { hasSwift } from "@/scripts/lib/cluster/swift.mjs";
import { inRoot } from "@/scripts/lib/paths.mjs";
import { seedPhysician, seedPractice, tokenFor } from "../support/api";
import { countFailures, type LoadOptions, type LoadResult, underLoad } from "../support/cluster-load";
import { prepareConversion } from "../support/faults/conversion";
import { FAULTS } from "../support/faults/faults";
import { type FaultName, findFaults, USUAL_FAULTS } from "../support/faults/names.mjs";
import { appendRound, type FaultRound, readRounds, summarize } from "../support/faults/report";
import { until } from "../support/faults/until";
import { startWorld, type World, whyUnsupported } from "../support/faults/world";
import { randomFrom } from "../support/fuzz-values";
import { runScript } from "../support/run-script";

const WRITERS = 4;
/** A round of a client has four writes. */
const ROUND = 4;
const CONVERTED = 40;
const HEAL_MS = 60_000;
/** What a fault may take until it is repaired. */
const FAULT_MS = 90_000;
const { FAULT_ROUNDS, FAULT_SEED, FAULT_NAMES = "", FAULT_FILE } = process.env;
const ROUNDS = Number(FAULT_ROUNDS ?? 1);
const SEED = Number(FAULT_SEED ?? 1);

const NAMES: readonly FaultName[] = FAULT_ROUNDS === undefined ? USUAL_FAULTS : findFaults(FAULT_NAMES);
/** Returns why a fault can't be tried here, or null. */
const findObstacle = (name: FaultName) => {
  const { needs } = FAULTS[name];
  return needs ? whyUnsupported(needs) : null;
};
const supported = NAMES.filter((name) => findObstacle(name) === null);
/** A round of each fault, then the next of each: a run that is stopped has tried all. */
const PLAN = Array.from({ length: ROUNDS }, (_, at) => supported.map((fault) => ({ fault, round: at + 1 }))).flat();

/** `npm run faults` must not end without a result. */
const canSkip = FAULT_ROUNDS === undefined;

describe.skipIf(canSkip && !(hasClusterPrograms() && hasSwift()))("a cluster", () => {
  const random = randomFrom(SEED);
  const rounds: FaultRound[] = [];
  let world: World;

  beforeAll(async () => {
    for (const name of NAMES) if (!supported.includes(name)) console.warn(`skipped: ${name} (${findObstacle(name)})`);
    await build();
    world = await startSupported();
  }, 240_000);
  afterAll(async () => {
    console.table(summarize(FAULT_FILE ? readRounds(FAULT_FILE) : rounds));
    await world?.stop();
  });

  test.each(PLAN)("loses and doubles nothing while $fault ($round)", { timeout: 360_000 }, async ({ fault }) => {
    const { problem } = await tryRound(fault);
    expect(problem).toBeNull();
  });

  const startSupported = () => startWorld(new Set(supported.flatMap((name) => FAULTS[name].needs ?? [])));

  /** Runs a round of a fault, and keeps its result. After a failure, keeps the logs and goes on with a new cluster. */
  async function tryRound(fault: FaultName): Promise<FaultRound> {
    const began = performance.now();
    const round: FaultRound = {
      ...{ fault, seed: SEED, date: new Date().toISOString(), healedMs: null, roundMs: 0, problem: null },
      ...{ writes: 0, lost: 0, doubled: 0, failures: 0 },
    };
    try {
      Object.assign(round, await runRound(fault));
      if (round.lost > 0 || round.doubled > 0) round.problem = `${round.lost} lost, ${round.doubled} doubled`;
    } catch (error) {
      round.problem = (error as Error).stack ?? String(error);
    }
    round.roundMs = performance.now() - began;
    rounds.push(round);
    if (FAULT_FILE) appendRound(FAULT_FILE, round);
    if (round.problem) {
      world.keepLogs(inRoot("test-results/faults", `${round.date.replaceAll(":", "-")} ${fault}`));
      await world.stop();
      world = await startSupported();
    }
    return round;
  }

  async function runRound(name: FaultName): Promise<LoadResult & { healedMs: number | null }> {
    const fault = FAULTS[name];
    await until(() => world.cluster.databases.isHealthy(), HEAL_MS);
    const target = await chooseTarget(fault.hasOwnPractice ?? false);
    const conversion = await prepareConversion(world.basics.organization, fault.converted ?? CONVERTED);
    let healedMs: number | null = null;
    const { patients, ...result } = await underLoad(target, async (writers, isOver) => {
      const untilLoad = (condition: () => boolean) => until(() => isOver() || condition(), FAULT_MS);
      const reach = (least: number) => untilLoad(() => writers.every(({ writes }) => writes.length >= least));
      const untilWritten = (more: number) => reach(Math.max(...writers.map(({ writes }) => writes.length)) + more);
      const untilFailures = (more: number) => {
        const least = countFailures(writers) + more;
        return untilLoad(() => countFailures(writers) >= least);
      };
      await reach(2 * ROUND);
      await conversion.start();
      if (!fault.converted) await setTimeout(random() * 1_000);
      const injected = performance.now();
      const { practice } = target;
      await fault.inject({ ...world, random, writers, conversion, practice, untilWritten, untilFailures });
      await untilWritten(2 * ROUND);
      healedMs = performance.now() - injected;
    });
    await conversion.finish();
    await expectWebhooks(patients);
    return { ...result, healedMs };
  }

  /** Returns where the clients write: the practice that a webhook listens to, or a new one. */
  async function chooseTarget(isNew: boolean): Promise<LoadOptions> {
    const { basics, cluster } = world;
    const load = { url: cluster.url, writers: WRITERS };
    if (!isNew) return { ...load, practice: basics.enabled, physician: basics.physicians.enabled, token: world.token };
    const practice = await seedPractice(basics.organization, "Northside Urgent Care", true);
    const token = await tokenFor({ organizationId: basics.organization, practices: [practice] });
    return { ...load, practice, physician: await seedPhysician(practice), token };
  }

  /** Expects the endpoint to have accepted each event about the patients. */
  async function expectWebhooks(patients: readonly number[]): Promise<void> {
    const { accepted, receiver } = world.webhooks;
    const events = await db.rows<{ event_uuid: string }>(sql`
      SELECT event_uuid FROM published_event WHERE resource = 'patients' AND resource_id = ANY(${[...patients]})`);
    expect(events.filter(({ event_uuid }) => !accepted.has(event_uuid))).toEqual([]);
    accepted.clear();
    receiver.requests.length = 0;
  }

  test("has an audit log that verifies", async () => {
    const { code, stdout, stderr } = await runScript("audit-verify.ts", []);
    expect([code, stderr], stdout).toEqual([0, ""]);
  });
});
