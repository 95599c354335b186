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
const TESTS = fs.readdirSync(FOLDER).filter((file) => file.endsWith(".test.yaml"));
const ruleTests = TESTS.map((file) => read(`deploy/prometheus/${file}`)).join("");
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
    ["test", "rules", ...TESTS],
  ])("%s %s %s finds no problem", (...args: string[]) => {
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

test("CrosswalkRequestsSlow leaves out operations that wait for others, or that read or write files", () => {
  const filesIn = (folder: string) =>
    fs
      .readdirSync(inRoot(folder), { recursive: true, encoding: "utf8" })
      .filter((file) => file.endsWith(".ts"))
      .map((file) => read(path.join(folder, file)));
  const namesIn = (folder: string) =>
    filesIn(folder).flatMap((text) => [...text.matchAll(/^ +name: "([\w.-]+)",$/gm)].map(([, name = ""]) => name));
  const resources = namesIn("lib/records/catalog").flatMap((name) =>
    ["list", "create", "get", "replace", "update", "delete"].map((operation) => `${name}.${operation}`),
  );
  const [rule = ""] = rules.split("- alert: CrosswalkRequestsSlow\n")[1]?.split("- alert:") ?? [];
  const patterns = [...rule.matchAll(/operation!~"(.+)"/g)].map(([, pattern]) => new RegExp(`^(?:${pattern})$`));
  const isLeftOut = (name: string) => patterns.some((pattern) => pattern.test(name));
  // Some of these resources lack one of them.
  const written = ["create", "replace", "update"];
  const withFiles = [
    "clinical_documents",
    "handouts",
    "incoming_files",
    "patient_letters",
    "patient_photos",
    "reports",
  ];
  expect(patterns).toHaveLength(6);
  expect([...new Set([...namesIn("app/api"), ...resources])].filter(isLeftOut).sort()).toEqual(
    [
      ...["eligibility.check", "staff.eligibility.check", "subscriptions.test", "staff.subscriptions.test"],
      ...["ccda.get", "lab_orders.print", "reports.print", "unknown"],
      ...["visit_notes.print_clinical_summary", "visit_notes.print_visit_summary"],
      ...["staff.audit.export", "staff.migrations.findings-export", "staff.migrations.readiness-export"],
      ...["staff.patients.export", "card_images.create", "staff.card_images.create", "insurance_cards.create"],
      ...["staff.legacy_cards.put", "profile_image.put", "staff.migrations.upload"],
      ...withFiles.flatMap((name) => written.map((operation) => `${name}.${operation}`)),
    ].sort(),
  );
});

test("alerts, runbooks and the dashboard use metrics that exist", () => {
  const code = read("lib/platform/metrics.ts") + read("lib/background/metrics.ts");
  const known = new Set([...code.matchAll(/"(crosswalk_\w+)"/g)].map(([, name]) => name));
  const used = `${rules}${ruleTests}${dashboard}${read("docs/operating.md")}`.matchAll(/crosswalk_\w+/g);
  const unknown = [...used].map(([name]) => name.replace(/_(count|bucket)$/, "")).filter((name) => !known.has(name));
  expect(unknown).toEqual([]);
});
