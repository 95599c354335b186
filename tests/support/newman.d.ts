// The part of newman that tests use. It ships no types.
declare module "newman" {
  export interface NewmanRunOptions {
    collection: object;
    globals: { values: { key: string; value: string; type: "any" }[] };
    reporters: [];
  }
  export interface NewmanRunSummary {
    run: {
      executions: { item: { name: string } }[];
      failures: { error: Error; at: string; source?: { name: string } }[];
    };
  }
  function run(options: NewmanRunOptions, done: (error: Error | null, summary: NewmanRunSummary) => void): void;
  const newman: { run: typeof run };
  export default newman;
}
