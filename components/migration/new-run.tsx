"use client";

import { useMutation } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { parseAsInteger, useQueryState } from "nuqs";
import { useState } from "react";
import { fieldErrors, toFormError } from "@/components/session/call-error";
import { staffCall } from "@/components/session/staff-call";
import { Button } from "@/components/ui/button";
import { DateField } from "@/components/ui/date-field";
import { FileField } from "@/components/ui/file-field";
import { Notice } from "@/components/ui/notice";
import { PageHeader } from "@/components/ui/page-header";
import { type Columns, columnsProblem } from "@/lib/migration/record/columns";
import { ColumnMapping } from "./column-mapping";
import { type CsvPreview, previewCsv, proposeColumns } from "./csv-headings";
import { beginningText, isZip } from "./file-text";
import { runPath, runTrail } from "./paths";
import { PracticeRecords } from "./practice-records";
import { bytesText } from "./run-messages";
import { keepFile } from "./upload-file";

interface NewRunProps {
  practice: number;
  today: string;
  /** The columns of the practice's last CSV export. */
  remembered: Columns | null;
}

/** Shows the form that starts a run: the export, the payers it refers to, and the date to check as of. */
export function NewRun({ practice, today, remembered }: NewRunProps) {
  const router = useRouter();
  // The run whose export this one corrects.
  const [follows] = useQueryState("follows", parseAsInteger);
  const [file, setFile] = useState<File | null>(null);
  const [companies, setCompanies] = useState<File | null>(null);
  const [asOf, setAsOf] = useState(today);
  const [preview, setPreview] = useState<CsvPreview | null>(null);
  const [columns, setColumns] = useState<Columns>({});
  const choose = async (next: File | null) => {
    setFile(next);
    const found = next && (await previewCsv(next));
    setPreview(found);
    if (found) setColumns(proposeColumns(found, remembered));
  };
  const create = useMutation({
    mutationFn: async (chosen: File) => {
      const body = {
        name: chosen.name,
        size: chosen.size,
        as_of: asOf,
        columns: preview ? columns : null,
        companies: companies ? await companiesText(companies) : "",
        ...(follows === null ? {} : { follows }),
      };
      return staffCall<{ id: number }>(`practices/${practice}/migrations`, { method: "POST", body });
    },
    onSuccess: ({ id }, chosen) => {
      keepFile(id, chosen);
      router.push(`${runPath(practice, id)}?step=upload`);
    },
  });
  const problems = fieldErrors(create.error);
  const columnsProblem = preview ? findColumnProblem(preview, columns) : undefined;
  const failure = toFormError(create.error, "The run was not started");
  return (
    <>
      <PageHeader
        trail={runTrail(practice)}
        title={follows === null ? "New run" : `Corrected export of run ${follows}`}
        meta={
          follows === null
            ? "The export is checked first. Nothing is written until you convert it."
            : `Decisions on unchanged records are kept, and corrections wherever the export still has the old value. Run ${follows} is canceled once this one has been read.`
        }
      />
      {follows === null && <PracticeRecords practice={practice} />}
      <form
        className="flex max-w-2xl flex-col gap-5"
        onSubmit={(event) => {
          event.preventDefault();
          if (file && !create.isPending && !columnsProblem) create.mutate(file);
        }}
      >
        {failure && (
          <Notice tone="bad" live title={failure.title}>
            {failure.message}
          </Notice>
        )}
        <FileField
          label="Legacy export"
          required
          help={
            file
              ? `${file.name}, ${bytesText(file.size)}`
              : "NDJSON, a JSON array, saved responses of GET /api/2.0/patients/, or CSV or Excel (.xlsx) with one insurance per row. May be compressed with gzip or zip. Up to 8 GiB."
          }
          error={problems.name?.[0] ?? problems.size?.[0]}
          onFile={(next) => void choose(next)}
        />
        {preview && (
          <ColumnMapping preview={preview} columns={columns} onChange={setColumns} problem={columnsProblem} />
        )}
        <FileField
          label="Payer list"
          help={
            companies
              ? `${companies.name}, ${bytesText(companies.size)}`
              : "NDJSON, a JSON array or CSV. Required if the export refers to payers by IDs that the practice doesn't have."
          }
          error={problems.companies?.[0]}
          onFile={setCompanies}
        />
        <DateField
          label="Check as of"
          required
          className="max-w-52"
          help="The checks treat this date as today."
          value={asOf}
          error={problems.as_of?.[0]}
          onChange={setAsOf}
        />
        <div>
          <Button kind="primary" type="submit" busy={create.isPending} disabled={!file || columnsProblem !== undefined}>
            Upload and check
          </Button>
        </div>
      </form>
    </>
  );
}

const MAX_COMPANIES_BYTES = 8 * 1024 ** 2;

async function companiesText(file: File): Promise<string> {
  if (await isZip(file)) throw new Error("Payers must be NDJSON, a JSON array or CSV, not a workbook or a zip file.");
  return beginningText(file, MAX_COMPANIES_BYTES + 1);
}

function findColumnProblem({ headings }: CsvPreview, columns: Columns): string | undefined {
  if (!Object.values(columns).includes("patient.id")) return "Choose the column with the patient ID.";
  return columnsProblem(headings, columns) ?? undefined;
}
