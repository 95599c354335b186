import type { Access } from "@/lib/access/identity/access";
import { signedFileUrl } from "@/lib/platform/storage/signed-url";
import { toRecordDto } from "./dto";
import { getRecord, readerFor } from "./queries";
import type { Data, RecordRow, Resource, ViewName } from "./schema";

/**
 * Records as an answer shows them, with what their declaration adds to what is kept.
 *
 * @param base where the links they hold lead to
 */
export async function serializeRecords(
  access: Access,
  resource: Resource,
  rows: readonly RecordRow[],
  { view, base }: { view: ViewName; base: URL },
): Promise<Data[]> {
  const link = (path: string) => new URL(`/api/2.0/${path}`, base).href;
  const fileLink = (id: number) => signedFileUrl(id, base).url;
  const shown = (await resource.serialize?.(rows, { view, read: readerFor(access), link, fileLink })) ?? [];
  return rows.map((row, index) => toRecordDto(resource, view, row, shown[index]));
}

/** Whose data an answer shows: of patients, and in practices' records that name none. */
export interface Shown {
  patients: readonly number[];
  unnamed: readonly number[];
}

/** An answer that is a record, and whose data it shows. */
export interface RecordView extends Shown {
  data: Data;
}

/** Whose data records of a resource show, for the audit of their read. */
export function dataSubjects(
  { owner, confidential }: Pick<Resource, "owner" | "confidential">,
  rows: readonly Pick<RecordRow, "patient_id" | "practice_id">[],
): Shown {
  const unnamed = rows.flatMap(({ patient_id, practice_id }) => (patient_id === null ? (practice_id ?? []) : []));
  return {
    patients: rows.flatMap(({ patient_id }) => patient_id ?? []),
    unnamed: owner === "patient" || confidential ? [...new Set(unnamed)] : [],
  };
}

/** One record as an answer shows it. */
export async function serializeRecord(
  access: Access,
  resource: Resource,
  row: RecordRow,
  shown: { view: ViewName; base: URL },
): Promise<RecordView> {
  const [data] = await serializeRecords(access, resource, [row], shown);
  return { data: data as Data, ...dataSubjects(resource, [row]) };
}

/**
 * A record as GET answers it.
 *
 * @throws NotFoundError where the record is absent, deleted or another practice's
 */
export async function getSerializedRecord(
  access: Access,
  resource: Resource,
  id: number,
  base: URL,
): Promise<RecordView> {
  return serializeRecord(access, resource, await getRecord(access, resource, id), { view: "get", base });
}
