// node --import tsx bench/migration-check.ts [SIZES]: checks exports of growing sizes. Prints records per second, memory, and the time per
// record compared with the smallest size. Fails at 500 MiB or more. Needs no server and no database.
import { spawn } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { checkFile } from "@/lib/migration/check/check-file";
import { fileSource } from "@/lib/platform/files/source";
import { MIGRATION_NODE_OPTIONS } from "@/scripts/lib/node-options.mjs";
import { GENERATED_COMPANIES, generatePatients, writeNdjson } from "@/tests/support/generated-export";
import { bundleBench, bundleOf } from "./bundle";

const GOAL_MIB = 500;

interface Measured {
  records: number;
  insurances: number;
  findings: number;
  seconds: number;
  peakMib: number;
}

/** Checks a file and measures it. Runs in a separate process, so that its memory is that of one check. */
async function measure(file: string): Promise<Measured> {
  const started = performance.now();
  let [records, insurances, findings] = [0, 0, 0];
  for await (const checked of checkFile({
    source: await fileSource(file),
    companies: GENERATED_COMPANIES,
    asOf: "2025-10-01",
  })) {
    records++;
    if ("reason" in checked) throw new Error(checked.reason);
    insurances += (checked.patient.insurances as unknown[]).length;
    findings += checked.findings.length;
  }
  const seconds = (performance.now() - started) / 1000;
  return { records, insurances, findings, seconds, peakMib: process.resourceUsage().maxRSS / 1024 };
}

function measureInProcess(file: string): Promise<Measured> {
  const program = bundleOf("migration-check.ts");
  const child = spawn(process.execPath, [...MIGRATION_NODE_OPTIONS, program, "--measure", file], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (chunk: string) => {
    text += chunk;
  });
  return new Promise((resolve, reject) =>
    child.once("close", (code) =>
      code === 0 ? resolve(JSON.parse(text)) : reject(new Error(`the check exited with code ${code}`)),
    ),
  );
}

async function main(args: readonly string[]): Promise<void> {
  if (args[0] === "--measure") {
    process.stdout.write(JSON.stringify(await measure(args[1] as string)));
    return;
  }
  const sizes = (args[0] ?? "10000,100000,1000000").split(",").map(Number);
  const folder = fs.mkdtempSync(path.join(os.tmpdir(), "crosswalk-checks-"));
  let first: number | null = null;
  // Checking a file starts a thread that reads it.
  await bundleBench(["bench/migration-check.ts", "scripts/read-export.ts"]);
  try {
    for (const insurances of sizes) {
      const file = path.join(folder, `${insurances}.ndjson`);
      await writeNdjson(file, generatePatients({ insurances }));
      const { records, findings, seconds, peakMib } = await measureInProcess(file);
      const cost = (seconds / records) * 1e6;
      first ??= cost;
      const mib = (fs.statSync(file).size / 1024 ** 2).toFixed(0);
      console.info(
        `${String(insurances).padStart(9)} insurances, ${String(records).padStart(7)} records (${mib} MiB): ` +
          `${Math.round(records / seconds)} records/s, ${cost.toFixed(1)} µs per record (${(cost / first).toFixed(2)} of the first), ` +
          `${peakMib.toFixed(0)} MiB, ${findings} findings`,
      );
      if (peakMib >= GOAL_MIB) process.exitCode = 1;
      fs.rmSync(file);
    }
  } finally {
    fs.rmSync(folder, { recursive: true, force: true });
  }
}

await main(process.argv.slice(2));
