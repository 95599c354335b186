// Import rules, checked by `npm test` (`npm run imports` runs them alone): layers, cycles, and what may reach the database or Next.

/** The layers of lib, lowest first. A layer imports only itself and the layers below it. */
const LAYERS = ["platform", "access", "events", "practice", "insurance", "records", "api", "migration", "background"];

const layerRules = LAYERS.slice(0, -1).map((layer, index) => ({
  name: `${layer}-imports-downwards`,
  comment: `lib/${layer} imports only itself and the layers below it. Hand it what it needs from above.`,
  severity: "error",
  from: { path: `^lib/${layer}/` },
  to: { path: `^lib/(${LAYERS.slice(index + 1).join("|")})/` },
}));

/** @type {import("dependency-cruiser").IConfiguration} */
export default {
  forbidden: [
    {
      name: "no-folder-cycles",
      comment: "A folder is a module: two folders that import each other are one.",
      severity: "error",
      scope: "folder",
      from: { path: "^lib" },
      to: { circular: true },
    },
    {
      name: "no-import-cycles",
      comment: "No file reaches itself through its imports; imports of types are erased and don't count.",
      severity: "error",
      from: { path: "^(app|components|lib)/" },
      to: { circular: true, viaOnly: { dependencyTypesNot: ["type-only"] } },
    },
    {
      name: "app-components-lib",
      comment: "Imports run from app to components to lib.",
      severity: "error",
      from: { path: "^(components|lib)/" },
      to: { path: "^app/" },
    },
    {
      name: "lib-knows-no-components",
      severity: "error",
      from: { path: "^lib/" },
      to: { path: "^components/" },
    },
    {
      name: "product-knows-no-tools",
      comment: "The product imports neither its tests, benchmarks nor scripts.",
      severity: "error",
      from: { path: "^(app|components|lib)/" },
      to: { path: "^(bench|scripts|tests)/" },
    },
    ...layerRules,
    {
      name: "every-lib-file-has-a-layer",
      severity: "error",
      from: { path: "^(app|components|lib|scripts|tests|bench|prisma)/" },
      to: { path: "^lib/", pathNot: `^lib/(${LAYERS.join("|")})/` },
    },
    {
      name: "record-engine-knows-no-resource",
      comment: "The engine serves resources that declarations hand to it.",
      severity: "error",
      from: { path: "^lib/records/engine/" },
      to: { path: "^lib/records/(catalog|commands|queries|rules)/" },
    },
    {
      name: "api-runs-without-next",
      comment: "The API also runs on a plain Node.js server: nothing it reaches may import Next.js or React.",
      severity: "error",
      from: { path: "^app/api/(2\\.0|staff)/" },
      to: { path: "^node_modules/(next|react|react-dom)/", reachable: true },
    },
    {
      name: "pure-code-has-no-database",
      comment:
        "Rules, schemas and serializers are pure. Pages, components and declarations go through queries and commands.",
      severity: "error",
      from: {
        path: [
          "^(app|components)/",
          "^lib/.*[/-](rules|schema|dto)\\.ts$",
          "^lib/insurance/fields/",
          "^lib/records/catalog/",
          "^lib/api/(openapi|documents/(ccda|pdf))/",
        ],
        pathNot: "-queries\\.ts$|/queries\\.ts$",
      },
      to: {
        path: "^(lib/platform/db/(sql|kysely|transaction)\\.ts$|node_modules/(pg|@prisma|kysely)/)",
        dependencyTypesNot: ["type-only"],
      },
    },
  ],
  options: {
    tsConfig: { fileName: "tsconfig.json" },
    tsPreCompilationDeps: "specify",
    doNotFollow: { path: "node_modules" },
    // Generated tables list what the layers above declare: they would tie everything to everything.
    exclude: { path: "^(\\.next|build|generated)/" },
    enhancedResolveOptions: { exportsFields: ["exports"], conditionNames: ["import", "node", "types"] },
  },
};
