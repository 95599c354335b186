import { describe, expect, test } from "vitest";
import { createRouteTable, type RouteModule } from "@/lib/platform/http/route";

const paths = [
  "patients",
  "patients/[id]",
  "patients/[id]/policies",
  "patients/search",
  "files/[name]/raw",
  "[...path]",
];
const named = (name: string) => ({ [name]: async () => new Response(name) }) as RouteModule;
const match = createRouteTable(paths.map((path) => ({ path, module: named(path) })));
const matched = (path: string) => {
  const found = match(path);
  return found && [Object.keys(found.module)[0], found.params];
};

describe("the API's route table", () => {
  test.each([
    ["/patients", "patients", {}],
    ["/patients/", "patients", {}],
    ["/patients/12", "patients/[id]", { id: "12" }],
    ["/patients/search", "patients/search", {}],
    ["/patients/search/policies", "patients/[id]/policies", { id: "search" }],
    ["/files/a%20b%2Fc/raw/", "files/[name]/raw", { name: "a b/c" }],
    ["/files/x", "[...path]", { path: ["files", "x"] }],
  ])("%s goes to %s", (path, route, params) => {
    expect(matched(path)).toEqual([route, params]);
  });

  test.each(["/", "/patients//12", "/patients/%zz", "/un/%E0%A4%A"])("%s matches no route", (path) => {
    expect(matched(path)).toBeNull();
  });

  test("rejects two routes for the same path", () => {
    const twice = ["a/[id]", "a/[other]"].map((path) => ({ path, module: {} }));
    expect(() => createRouteTable(twice)).toThrow("a/[other]");
  });
});
