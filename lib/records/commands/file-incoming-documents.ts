import type { Access, Origin } from "@/lib/access/identity/access";
import { getPatient } from "@/lib/insurance/patients/queries";
import { anyOf, kysely } from "@/lib/platform/db/kysely";
import type { Row } from "@/lib/platform/db/rows";
import { type Tx, transaction } from "@/lib/platform/db/transaction";
import { absentRecords, ValidationError } from "@/lib/platform/errors";
import { documentTags } from "@/lib/records/catalog/patient-document/document-tags";
import { reportDelegates } from "@/lib/records/catalog/patient-document/report-delegates";
import { reports } from "@/lib/records/catalog/patient-document/reports";
import { insertRecord } from "@/lib/records/engine/commands";
import { createReader } from "@/lib/records/engine/queries";
import type { RecordRow } from "@/lib/records/engine/schema";
import { reportType } from "@/lib/records/rules/nested-schemas";

/** The report that incoming files are filed as. */
export interface Filing {
  files: readonly number[];
  /** The type of the report, in any case, or any other text. */
  document_type: string;
  custom_title?: string | null | undefined;
  document_date?: string | undefined;
  document_tags?: readonly string[] | undefined;
  reviewer_user?: number | undefined;
  sign_off?: boolean | undefined;
  urgent?: boolean | undefined;
}

/**
 * Files a practice's incoming files with a patient, as one report that contains all of them.
 *
 * @throws NotFoundError if the caller has no such patient
 * @throws ValidationError if the practice has no such file, tag or reviewer
 */
export async function fileIncomingDocuments(
  { access, origin, patientId, now }: { access: Access; origin: Origin; patientId: number; now: string },
  filing: Filing,
): Promise<RecordRow> {
  return transaction(async (tx) => {
    const patient = await getPatient(access, patientId, tx);
    const physician = patient.primary_physician_id;
    const files = await findIncomingFiles(tx, { practiceId: patient.practice_id, ids: filing.files });
    const absent = filing.files.filter((id) => !files.some((file) => file.id === id));
    if (absent.length > 0) throw new ValidationError({ files: absentRecords(...absent) });
    const documentDate = filing.document_date ?? now;
    const type = reportType.options.find((name) => name.toLowerCase() === filing.document_type.toLowerCase());
    const report = await insertRecord(tx, { access, origin }, reports, {
      patient: patientId,
      practice: patient.practice_id,
      physician,
      report_type: type ?? "Misc",
      custom_title: filing.custom_title ?? (type ? null : filing.document_type),
      document_date: documentDate,
      chart_date: documentDate,
      reported_date: now,
      is_urgent: filing.urgent ?? false,
      files,
      tags: await findTags(tx, patient.practice_id, filing.document_tags ?? []),
      signed_by: filing.sign_off ? physician : undefined,
      signed_date: filing.sign_off ? now : undefined,
    });
    const reviewer = filing.reviewer_user;
    if (reviewer !== undefined) {
      const delegate = { document: report.id, user: reviewer, group: null };
      await insertRecord(tx, { access, origin }, reportDelegates, delegate).catch((error: unknown) => {
        if (error instanceof ValidationError) throw new ValidationError({ reviewer_user: absentRecords(reviewer) });
        throw error;
      });
    }
    return report;
  });
}

/** Finds a practice's incoming files by ID. */
async function findIncomingFiles(
  tx: Tx,
  { practiceId, ids }: { practiceId: number; ids: readonly number[] },
): Promise<(Row<"resource_file", "id" | "content_type"> & { original_filename: string })[]> {
  return tx.rows(
    kysely
      .selectFrom("resource_file as f")
      .innerJoin("resource_record as r", "r.id", "f.record_id")
      .select(["f.id", "f.content_type", "f.filename as original_filename"])
      .where("f.id", "=", anyOf(ids))
      .where("r.resource", "=", "incoming_files")
      .where("r.practice_id", "=", practiceId)
      .where("r.deleted_date", "is", null)
      .orderBy("f.id"),
  );
}

/** Returns the IDs of tags with these values, ignoring case. */
async function findTags(tx: Tx, practiceId: number, values: readonly string[]): Promise<number[]> {
  if (values.length === 0) return [];
  const tags = await createReader(tx, [practiceId]).recordsWhere(documentTags, "value", values);
  const ids = new Map(tags.map(({ id, data }) => [data.value.toLowerCase(), id]));
  const absent = values.filter((value) => !ids.has(value.toLowerCase()));
  if (absent.length > 0) throw new ValidationError({ document_tags: [`No such tags: ${absent.join(", ")}.`] });
  return values.flatMap((value) => ids.get(value.toLowerCase()) ?? []);
}
