// The alerts for Prometheus fire when they should, use metrics that exist, and have a runbook. The dashboard's queries are valid.
import { spawnSync } from "node:child_process";
import fs from "node:fs";
import os from "node:os";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { inRoot } from "@/scripts/lib/paths.mjs";
import { findPromtool } from "../support/prometheus.mjs";

const FOLDER = inRoot("deploy/prometheus");
const read = (file: string) => fs.readFileSync(inRoot(file), "utf8");
const rules = read("deploy/prometheus/alerts.yaml");
const ruleTests = read("deploy/prometheus/alerts.test.yaml");
const dashboard = read("deploy/grafana/dashboard.json");
/** The queries of the dashboard, with an interval instead of Grafana's variable. */
const QUERIES: string[] = JSON.parse(dashboard)
  .panels.flatMap(({ targets = [] }: { targets?: { expr: string }[] }) => targets)
  .map(({ expr }: { expr: string }) => expr.replaceAll("$__rate_interval", "1m"));
const ALERTS = [...rules.matchAll(/^ +- alert: (\w+)$/gm)].map(([, name = ""]) => name);

describe.skipIf(!findPromtool())("promtool", () => {
  test.each([
    ["check", "rules", "alerts.yaml"],
    ["check", "config", "prometheus.yaml"],
    ["check", "config", "compose.yaml"],
    ["test", "rules", "alerts.test.yaml"],
  ])("%s %s %s finds no problem", (...args) => {
    const { status, stdout, stderr } = spawnSync(findPromtool() ?? "", args, { cwd: FOLDER, encoding: "utf8" });
    expect(status, stdout + stderr).toBe(0);
  });

  test("check config kubernetes.yaml finds no problem", () => {
    const folder = fs.mkdtempSync(path.join(os.tmpdir(), "crosswalk-prometheus-"));
    // Debian's promtool knows no pods. Other packages do.
    const [found, config] = [/kubernetes_sd_configs:\n(?: +.+\n){2}/, read("deploy/prometheus/kubernetes.yaml")];
    expect(config).toMatch(found);
    fs.writeFileSync(path.join(folder, "kubernetes.yaml"), config.replace(found, "static_configs: []\n"));
    fs.writeFileSync(path.join(folder, "alerts.yaml"), rules);
    const args = ["check", "config", "kubernetes.yaml"];
    const { status, stdout, stderr } = spawnSync(findPromtool() ?? "", args, { cwd: folder, encoding: "utf8" });
    fs.rmSync(folder, { recursive: true });
    expect(status, stdout + stderr).toBe(0);
  });
});

test.skipIf(!findPromtool())("the queries of the dashboard are valid", () => {
  const file = path.join(fs.mkdtempSync(path.join(os.tmpdir(), "crosswalk-queries-")), "queries.json");
  const rules = QUERIES.map((expr, at) => ({ record: `query_${at}`, expr }));
  fs.writeFileSync(file, JSON.stringify({ groups: [{ name: "dashboard", rules }] }));
  const { status, stdout, stderr } = spawnSync(findPromtool() ?? "", ["check", "rules", file], { encoding: "utf8" });
  fs.rmSync(path.dirname(file), { recursive: true });
  expect(status, stdout + stderr).toBe(0);
  expect(rules.length).toBeGreaterThan(20);
});

describe.each(ALERTS)("%s", (alert) => {
  test("is tested with values for which it fires, and with others", () => {
    expect(ruleTests.match(new RegExp(`alertname: ${alert}\\n +eval_time: \\w+\\n +exp_alerts:`, "g"))).toHaveLength(1);
    expect(ruleTests).toContain(`{ alertname: ${alert}, eval_time: 2h }`);
  });

  test("has a runbook", () => {
    expect(rules).toContain(`runbook: docs/operating.md#${alert.toLowerCase()}\n`);
    expect(read("docs/operating.md")).toMatch(new RegExp(`^### ${alert}\\n\\n.+\\n`, "m"));
  });
});

test("runbooks belong to alerts", () => {
  const headings = [...read("docs/operating.md").matchAll(/^### (\w+)$/gm)].map(([, name]) => name);
  expect(headings).toEqual(ALERTS);
});

test("alerts, runbooks and the dashboard use metrics that exist", () => {
  const code = read("lib/platform/metrics.ts") + read("lib/background/metrics.ts");
  const known = new Set([...code.matchAll(/"(crosswalk_\w+)"/g)].map(([, name]) => name));
  const used = `${rules}${ruleTests}${dashboard}${read("docs/operating.md")}`.matchAll(/crosswalk_\w+/g);
  const unknown = [...used].map(([name]) => name.replace(/_(count|bucket)$/, "")).filter((name) => !known.has(name));
  expect(unknown).toEqual([]);
});
