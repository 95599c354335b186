"use client";

import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Plus } from "lucide-react";
import { useState } from "react";
import { staffCall } from "@/components/session/staff-call";
import { Button } from "@/components/ui/button";
import { ChangeList } from "@/components/ui/change-list";
import { EmptyState } from "@/components/ui/empty-state";
import { Notice } from "@/components/ui/notice";
import { PageHeader } from "@/components/ui/page-header";
import type { PracticeChoice } from "@/components/ui/practice-checkboxes";
import { SecretDialog } from "@/components/ui/secret-dialog";
import { Section } from "@/components/ui/section";
import { useOpenParam } from "@/components/ui/use-open-param";
import type { NewSecret } from "@/lib/access/clients/client-commands";
import type { RecordChange } from "@/lib/access/history/queries";
import type { ClientView } from "@/lib/practice/practices/staff-queries";
import { type ClientAction, ClientActionDialog } from "./client-action-dialog";
import { ClientCard } from "./client-card";
import { ClientForm } from "./client-form";
import { clientSecretDialog, describeClientChange, clientsPage as text } from "./messages";

interface Data {
  clients: ClientView[];
  changes: RecordChange[];
}

export type Open =
  | { form: ClientView | null }
  | { act: ClientAction; client: ClientView; secretId?: number }
  | { secret: NewSecret };

/** Shows the API clients with access to the practice: their permissions, use and secrets. */
export function Clients(props: { practice: number; practices: readonly PracticeChoice[]; initial: Data }) {
  const { practice, practices, initial } = props;
  const client = useQueryClient();
  const key = ["settings", practice, "clients"];
  const { data, error } = useQuery({
    queryKey: key,
    queryFn: ({ signal }) => staffCall<Data>(`practices/${practice}/clients`, { signal }),
    initialData: initial,
  });
  const [open, setOpen] = useState<Open | null>(null);
  useOpenParam("new", () => setOpen({ form: null }));
  const saved = (secret: NewSecret | null) => {
    void client.invalidateQueries({ queryKey: key });
    setOpen(secret && { secret });
  };
  const clientName = ({ record_id, changes }: RecordChange) =>
    data.clients.find(({ id }) => id === record_id)?.name ?? String(changes.name?.new ?? text.unknownClient);
  const add = (
    <Button kind="primary" onClick={() => setOpen({ form: null })}>
      <Plus aria-hidden className="size-4" /> {text.add}
    </Button>
  );
  return (
    <>
      <PageHeader title={text.title} meta={text.meta} actions={add} />
      <div className="mb-8">
        {error && (
          <Notice tone="bad" live title={text.notRefreshed}>
            {error.message}
          </Notice>
        )}
        {data.clients.length === 0 ? (
          <div className="border-line bg-raised rounded-md border">
            <EmptyState title={text.empty}>{text.emptyHelp}</EmptyState>
          </div>
        ) : (
          <ul aria-label={text.title} className="flex flex-col gap-3">
            {data.clients.map((view) => (
              <ClientCard key={view.id} client={view} practices={practices} onOpen={setOpen} />
            ))}
          </ul>
        )}
      </div>
      <Section title={text.history}>
        <ChangeList
          label={text.historyLabel}
          changes={data.changes}
          describe={(change) => describeClientChange(change, clientName(change))}
          none={text.noHistory}
        />
      </Section>
      {open && "form" in open && (
        <ClientForm
          client={open.form}
          practice={practice}
          practices={practices}
          onClose={() => setOpen(null)}
          onSaved={saved}
        />
      )}
      {open && "act" in open && (
        <ClientActionDialog
          {...open}
          kind={open.act}
          practice={practice}
          onClose={() => setOpen((now) => (now && "secret" in now ? now : null))}
          onDone={saved}
        />
      )}
      {open && "secret" in open && (
        <SecretDialog
          title={clientSecretDialog.title}
          description={clientSecretDialog.description}
          values={[
            { label: clientSecretDialog.clientId, value: open.secret.client_id },
            { label: clientSecretDialog.clientSecret, value: open.secret.client_secret },
          ]}
          onDone={() => setOpen(null)}
        />
      )}
    </>
  );
}
