// docs/dependencies.md explains every package of package.json, once.
import fs from "node:fs";
import { expect, test } from "vitest";
import packageJson from "@/package.json";

/** Lists the packages in the first cells of the document's tables. A cell may name several that belong together. */
function documentedPackages(): string[] {
  const rows = fs.readFileSync("docs/dependencies.md", "utf8").matchAll(/^\|([^|]*)\|/gm);
  return [...rows].flatMap(([, cell = ""]) => [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name));
}

test("every package has exactly one row, and every row has a package", () => {
  const packages = Object.keys({ ...packageJson.dependencies, ...packageJson.devDependencies });
  expect(documentedPackages().sort()).toEqual(packages.sort());
});
