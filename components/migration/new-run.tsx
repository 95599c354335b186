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
import { newRun as text } from "./messages/new-run";
import { bytesText } from "./messages/terms";
import { runPath, runTrail } from "./paths";
import { PracticeRecords } from "./practice-records";
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
  const failure = toFormError(create.error, text.failed);
  return (
    <>
      <PageHeader
        trail={runTrail(practice)}
        title={follows === null ? text.title : text.titleCorrected(follows)}
        meta={follows === null ? text.lead : text.leadCorrected(follows)}
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
          label={text.export}
          required
          help={file ? text.file(file.name, bytesText(file.size)) : text.exportHelp}
          error={problems.name?.[0] ?? problems.size?.[0]}
          onFile={(next) => void choose(next)}
        />
        {preview && (
          <ColumnMapping preview={preview} columns={columns} onChange={setColumns} problem={columnsProblem} />
        )}
        <FileField
          label={text.payers}
          help={companies ? text.file(companies.name, bytesText(companies.size)) : text.payersHelp}
          error={problems.companies?.[0]}
          onFile={setCompanies}
        />
        <DateField
          label={text.asOf}
          required
          className="max-w-52"
          help={text.asOfHelp}
          value={asOf}
          error={problems.as_of?.[0]}
          onChange={setAsOf}
        />
        <div>
          <Button kind="primary" type="submit" busy={create.isPending} disabled={!file || columnsProblem !== undefined}>
            {text.submit}
          </Button>
        </div>
      </form>
    </>
  );
}

const MAX_COMPANIES_BYTES = 8 * 1024 ** 2;

async function companiesText(file: File): Promise<string> {
  if (await isZip(file)) throw new Error(text.payersFormat);
  return beginningText(file, MAX_COMPANIES_BYTES + 1);
}

function findColumnProblem({ headings }: CsvPreview, columns: Columns): string | undefined {
  if (!Object.values(columns).includes("patient.id")) return text.noPatientId;
  return columnsProblem(headings, columns) ?? undefined;
}
