// Reference data for tests: the demo's complete made-up set, or a few records of one resource.
import { resources } from "@/generated/resources";
import { type LoadReport, type LoadRequest, loadRecords } from "@/lib/records/engine/load-commands";
import { toFileRows } from "@/lib/records/engine/load-rows";
import type { Resource } from "@/lib/records/engine/schema";

/** Every resource by name. */
export const DECLARATIONS: ReadonlyMap<string, Resource> = new Map(
  resources.filter(({ path }) => path === undefined).map((resource) => [resource.name, resource]),
);

/** Loads rows of a resource; they are shared unless a practice is given. */
export async function load(
  name: string,
  rows: readonly unknown[],
  options: Partial<Pick<LoadRequest, "practiceId" | "dryRun" | "allOrNothing" | "removeAbsent" | "reason">> = {},
): Promise<LoadReport> {
  return loadRecords({
    resource: DECLARATIONS.get(name) as Resource,
    declarations: DECLARATIONS,
    practiceId: null,
    rows: () => toFileRows(rows),
    from: `${name}.ndjson`,
    ...options,
  });
}

export const LABELER = { medispanid: "10042", name: "Fairmoor Generics" };
export const MEDICATION = {
  external_id: "9000001",
  name: "lisinopril 10 mg oral tablet",
  generic_name: "lisinopril",
  form: "tablet",
  rxnorm_cuis: ["9000001", "9000002"],
  ndcs: ["07001-1000-11", "07001-1000-21"],
  active_ndcs: ["07001-1000-11"],
};
export const PACKAGE = {
  ndc: "07001-1000-11",
  name: "lisinopril 10 mg oral tablet",
  size_description: "30 tablet",
  labeler_id: { medispanid: "10042" },
  reference_medication_id: { external_id: "9000001" },
};
export const PHARMACY = {
  ncpdpid: "2010042",
  store_name: "Tidewater Rx",
  state: "ME",
  active_start_time: "2020-01-01T00:00:00Z",
  active_end_time: "2099-12-31T00:00:00Z",
};

/** Loads a few records of each reference resource, plus unrelated ones. */
export async function seedReferenceData(): Promise<void> {
  await load("languages", [{ name: "English" }, { name: "Spanish" }, { name: "Welsh" }]);
  await load("packaged_medication_labelers", [LABELER, { medispanid: "10043", name: "Glenavon Pharma" }]);
  await load("reference_medications", [MEDICATION, { external_id: "9000003", name: "metformin 500 mg oral tablet" }]);
  const obsolete = { ...PACKAGE, ndc: "07001-1000-21", is_active: false };
  const other = { ndc: "07002-1000-11", name: "metformin", reference_medication_id: { external_id: "9000003" } };
  await load("packaged_medications", [PACKAGE, obsolete, other]);
  const closed = { ...PHARMACY, ncpdpid: "2010043", active_end_time: "2010-06-30T00:00:00Z" };
  await load("pharmacies", [PHARMACY, { ...closed, active_start_time: "2006-01-01T00:00:00Z" }]);
}
