import type { Access } from "@/lib/access/identity/access";
import { signedFileUrl } from "@/lib/platform/storage/signed-url";
import type { Data } from "./data-types";
import type { Field } from "./fields";
import { readerFor } from "./queries";
import { viewFields } from "./rules";
import type { RecordRow, Resource, ViewName } from "./schema";

type FieldList = readonly (readonly [name: string, field: Field])[];

/** The fields of each response, listed once instead of for every record. */
const fieldLists = new WeakMap<Pick<Resource, "fields" | "views">, Map<ViewName, FieldList>>();

function listFields(resource: Resource, view: ViewName): FieldList {
  const views = fieldLists.get(resource) ?? new Map<ViewName, FieldList>();
  fieldLists.set(resource, views);
  const fields = views.get(view) ?? Object.entries(viewFields(resource, view));
  views.set(view, fields);
  return fields;
}

/**
 * Converts a record to its form in responses. Fields that were never set have their initial values.
 *
 * @param replaced values that take the place of the stored ones
 */
export function toRecordDto(
  resource: Resource,
  view: ViewName,
  row: Pick<RecordRow, "data"> & Partial<RecordRow>,
  replaced: Data = {},
): Data {
  const dto: Record<string, unknown> = {};
  for (const [name, { column, initial }] of listFields(resource, view))
    dto[name] = name in replaced ? replaced[name] : column ? row[column] : (row.data[name] ?? initial);
  return dto;
}

/**
 * Serializes records for a response, with what their declaration adds to the stored data.
 *
 * @param base of the links in the response
 */
export async function serializeRecords<D extends Data>(
  access: Access,
  resource: Resource<D>,
  rows: readonly RecordRow<D>[],
  { view, base }: { view: ViewName; base: URL },
): Promise<Data[]> {
  const replaced = await resource.serialize?.(rows, {
    view,
    reader: readerFor(access),
    link: (path) => new URL(`/api/2.0/${path}`, base).href,
    fileLink: (id) => signedFileUrl(id, base).url,
  });
  return rows.map((row, index) => toRecordDto(resource, view, row, replaced?.[index]));
}

/** Whose data a response shows: patients, and practices whose records contain personal data without naming a patient. */
export interface DataSubjects {
  patients: readonly number[];
  unnamed: readonly number[];
}

/** Returns whose data a response with these records shows, for the audit. */
export function dataSubjects(
  { owner, confidential }: Pick<Resource, "owner" | "confidential">,
  rows: readonly Pick<RecordRow, "patient_id" | "practice_id">[],
): DataSubjects {
  const unnamed = rows.flatMap(({ patient_id, practice_id }) => (patient_id === null ? (practice_id ?? []) : []));
  return {
    patients: rows.flatMap(({ patient_id }) => patient_id ?? []),
    unnamed: owner === "patient" || confidential ? [...new Set(unnamed)] : [],
  };
}
