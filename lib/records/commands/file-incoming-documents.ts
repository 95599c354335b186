import type { Access } from "@/lib/access/identity/access";
import type { Origin } from "@/lib/access/identity/origin";
import { getPatient } from "@/lib/insurance/patients/queries";
import { type Tx, transaction } from "@/lib/platform/db/transaction";
import { ValidationError } from "@/lib/platform/errors";
import { reportDelegates } from "@/lib/records/catalog/patient-document/report-delegates";
import { reports } from "@/lib/records/catalog/patient-document/reports";
import { insertRecord } from "@/lib/records/engine/commands";
import { createReader, findIncomingFiles } from "@/lib/records/engine/queries";
import type { RecordRow } from "@/lib/records/engine/schema";

/** What incoming files are filed as. */
export interface Filing {
  files: readonly number[];
  document_type: string;
  custom_title?: string | null | undefined;
  document_date?: string | undefined;
  document_tags?: readonly string[] | undefined;
  reviewer_user?: number | undefined;
  sign_off?: boolean | undefined;
  urgent?: boolean | undefined;
}

/**
 * Files what reached a practice with a patient: as one report, which has the files from then on too.
 *
 * @throws NotFoundError where the caller has no such patient
 * @throws ValidationError naming a file, tag or reviewer that is none of the practice's
 */
export async function fileForPatient(
  { access, origin, patientId, now }: { access: Access; origin: Origin; patientId: number; now: string },
  filing: Filing,
): Promise<RecordRow> {
  return transaction(async (tx) => {
    const patient = await getPatient(access, patientId, tx);
    const physician = patient.primary_physician_id;
    const files = await findIncomingFiles(tx, { practiceId: patient.practice_id, ids: filing.files });
    const absent = filing.files.filter((id) => !files.some((file) => file.id === id));
    if (absent.length > 0) throw new ValidationError({ files: [`No such incoming files: ${absent.join(", ")}.`] });
    const document_date = filing.document_date ?? now;
    const report = await insertRecord(tx, { access, origin }, reports, {
      ...{ patient: patientId, practice: patient.practice_id, physician, report_type: filing.document_type },
      ...{ document_date, chart_date: document_date, reported_date: now, is_urgent: filing.urgent ?? false },
      ...{ custom_title: filing.custom_title ?? null, kept_files: files },
      tags: await tagsOf(tx, patient.practice_id, filing.document_tags ?? []),
      ...(filing.sign_off && { signed_by: physician, signed_date: now }),
    });
    if (filing.reviewer_user !== undefined) {
      const delegate = { document: report.id, user: filing.reviewer_user, group: null };
      await insertRecord(tx, { access, origin }, reportDelegates, delegate).catch((error: unknown) => {
        if (error instanceof ValidationError)
          throw new ValidationError({ reviewer_user: ["No such user in this practice."] });
        throw error;
      });
    }
    return report;
  });
}

/** The ids of tags by their values. */
async function tagsOf(tx: Tx, practiceId: number, values: readonly string[]): Promise<number[]> {
  if (values.length === 0) return [];
  const tags = await createReader(tx, [practiceId]).recordsWhere("document_tags", "value", values);
  const idOf = new Map(tags.map(({ id, data }) => [(data.value as string).toLowerCase(), id]));
  const absent = values.filter((value) => !idOf.has(value.toLowerCase()));
  if (absent.length > 0) throw new ValidationError({ document_tags: [`No such tags: ${absent.join(", ")}.`] });
  return values.map((value) => idOf.get(value.toLowerCase()) as number);
}
