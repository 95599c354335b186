"use client";

import { useMutation } from "@tanstack/react-query";
import { useRouter } from "next/navigation";
import { parseAsInteger, useQueryState } from "nuqs";
import { useState } from "react";
import { fieldErrors, toFormError } from "@/components/session/call-error";
import { staffCall } from "@/components/session/staff-call";
import { Button } from "@/components/ui/button";
import { Input } from "@/components/ui/controls";
import { Field, inputClass, TextField } from "@/components/ui/field";
import { Notice } from "@/components/ui/notice";
import { PageHeader } from "@/components/ui/page-header";
import { type Columns, problemOfColumns } from "@/lib/migration/rules/columns";
import { ColumnMapping } from "./column-mapping";
import { type CsvLook, lookAtCsv, proposeColumns } from "./csv-headings";
import { beginningText, isZip } from "./file-text";
import { runPath, runTrail } from "./paths";
import { bytesText } from "./run-messages";
import { keepFile } from "./upload-file";

/** Begins a run: the export, the companies it names, and the day it is checked for. */
export function NewRun({
  practice,
  today,
  remembered,
}: {
  practice: number;
  today: string;
  remembered: Columns | null;
}) {
  const router = useRouter();
  // The run whose export is corrected, where one is.
  const [follows] = useQueryState("follows", parseAsInteger);
  const [file, setFile] = useState<File | null>(null);
  const [companies, setCompanies] = useState<File | null>(null);
  const [asOf, setAsOf] = useState(today);
  const [look, setLook] = useState<CsvLook | null>(null);
  const [columns, setColumns] = useState<Columns>({});
  const choose = async (next: File | null) => {
    setFile(next);
    const found = next && (await lookAtCsv(next));
    setLook(found);
    if (found) setColumns(proposeColumns(found, remembered));
  };
  const create = useMutation({
    mutationFn: async (chosen: File) => {
      const body = {
        ...{ name: chosen.name, size: chosen.size, as_of: asOf },
        ...{ columns: look ? columns : null, companies: companies ? await companiesText(companies) : "" },
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
  const columnsProblem = look ? problemOf(look, columns) : undefined;
  const failure = toFormError(create.error, "The run was not begun");
  return (
    <>
      <PageHeader
        trail={runTrail(practice)}
        title={follows === null ? "New run" : `Corrected export of run ${follows}`}
        meta={
          follows === null
            ? "The export is checked first. Nothing is written until somebody has it converted."
            : `What was decided on records that are the same stays decided. Run ${follows} is given up once this one is read.`
        }
      />
      {follows === null && <OwnRecords practice={practice} />}
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
              : "NDJSON, a JSON array, saved answers of GET /api/2.0/patients/, CSV or Excel (.xlsx) with one insurance per row. Packed with gzip or zip if you like. Up to 8 GiB."
          }
          error={problems.name?.[0] ?? problems.size?.[0]}
          onFile={(next) => void choose(next)}
        />
        {look && <ColumnMapping look={look} columns={columns} onChange={setColumns} problem={columnsProblem} />}
        <FileField
          label="Insurance companies of the export"
          help={
            companies
              ? `${companies.name}, ${bytesText(companies.size)}`
              : "NDJSON, a JSON array or CSV. Needed where insurances name their company by an id the practice does not know."
          }
          error={problems.companies?.[0]}
          onFile={setCompanies}
        />
        <TextField
          label="As of"
          type="date"
          required
          className="max-w-52"
          help="The day the checks take for today."
          value={asOf}
          error={problems.as_of?.[0]}
          onChange={(event) => setAsOf(event.target.value)}
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

const MOST_COMPANIES_BYTES = 8 * 1024 ** 2;

async function companiesText(file: File): Promise<string> {
  if (await isZip(file))
    throw new Error("Companies: upload NDJSON, a JSON array or CSV, not a workbook or a zip file.");
  return beginningText(file, MOST_COMPANIES_BYTES + 1);
}

/** The practice's own legacy records need no upload. */
function OwnRecords({ practice }: { practice: number }) {
  const router = useRouter();
  const begin = useMutation({
    mutationFn: () => staffCall<{ id: number }>(`practices/${practice}/migrations/own`, { method: "POST", body: {} }),
    onSuccess: ({ id }) => router.push(`${runPath(practice, id)}?step=check`),
  });
  return (
    <div className="border-line bg-raised mb-6 flex max-w-2xl flex-wrap items-center justify-between gap-x-6 gap-y-2 rounded-md border px-4 py-3">
      <div>
        <p className="font-medium">The practice's own legacy records</p>
        <p className="text-soft">Checked as they stand here, against their policies. Nothing is uploaded.</p>
        {begin.error && (
          <p role="alert" className="text-bad">
            {begin.error.message}
          </p>
        )}
      </div>
      <Button busy={begin.isPending} onClick={() => begin.mutate()}>
        Check own records
      </Button>
    </div>
  );
}

function problemOf({ headings }: CsvLook, columns: Columns): string | undefined {
  if (!Object.values(columns).includes("patient.id")) return "Say which column is the patient's ID.";
  return problemOfColumns(headings, columns) ?? undefined;
}

function FileField(props: {
  label: string;
  help: string;
  required?: boolean;
  error: string | undefined;
  onFile: (file: File | null) => void;
}) {
  const { onFile, ...field } = props;
  return (
    <Field {...field}>
      {(tied) => (
        <Input
          {...tied}
          type="file"
          className={`${inputClass} h-auto py-1.5 file:mr-3 file:rounded file:border-0 file:bg-sunken file:px-2 file:py-1 file:font-medium`}
          onChange={(event) => onFile(event.target.files?.[0] ?? null)}
        />
      )}
    </Field>
  );
}
