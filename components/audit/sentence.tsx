import Link from "next/link";
import type { ReactNode } from "react";
import { classNames } from "@/components/ui/class-names";
import type { AuditView } from "@/lib/access/audit/staff-queries";
import type { AuditNames } from "@/lib/api/audit/queries";
import { entryTargets } from "@/lib/api/audit/rules";
import { entrySentence, joinPatients, references as text } from "./messages/sentence";

interface SentenceProps {
  practice: number;
  entry: AuditView;
  names: AuditNames;
  /** Number of patients to name. */
  limit: number;
}

/** Shows an entry as a sentence. Names link to records that still exist in the practice. */
export function EntrySentence({ practice, entry, names, limit }: SentenceProps) {
  const base = `/practices/${practice}`;
  const { policy, run, member, client } = entryTargets(entry);
  const about = entry.detail?.about?.name;
  const isNamed = (type: "staff" | "client") => entry.detail?.about?.type === type;
  const patient = (id: number) => {
    const name = names.patients[id];
    return name ? <Name href={`${base}/patients/${id}`}>{name}</Name> : text.patient(id);
  };
  const shown = entry.patients.slice(0, limit).map(patient);
  const rest = entry.patient_count - shown.length;
  const patients = shown.length > 0 ? joinPatients(shown, rest > 0 && text.morePatients(rest)) : null;
  const holder = policy === undefined ? undefined : names.policies[policy];
  return (
    <span className="wrap-anywhere">
      {entrySentence(entry.operation, {
        who: actor(entry, names, base),
        patients,
        patient: patients ?? text.unknown.patient,
        policy:
          policy === undefined ? (
            text.unknown.policy
          ) : holder ? (
            <Name href={`${base}/patients/${holder}/policies/${policy}`}>{text.policy(policy)}</Name>
          ) : (
            text.policy(policy)
          ),
        run: run === undefined ? text.unknown.run : runName(run, names, base),
        member: account(`${base}/settings/members`, {
          name: isNamed("staff") ? about : undefined,
          isKnown: member !== undefined && names.members.includes(member),
          unknown: text.unknown.member,
        }),
        client: account(`${base}/settings/clients#client-${client}`, {
          name: isNamed("client") ? about : undefined,
          isKnown: client !== undefined && names.clients.includes(client),
          unknown: text.unknown.client,
        }),
      })}
    </span>
  );
}

function actor({ actor_type, actor_id, actor_name }: AuditView, names: AuditNames, base: string): ReactNode {
  if (actor_type === "link") return text.linkHolder;
  if (actor_type === "anonymous") return text.anonymous;
  if (actor_type === "staff" && actor_id !== null && names.members.includes(actor_id))
    return (
      <Name href={`${base}/settings/members`} strong>
        {actor_name}
      </Name>
    );
  if (actor_type === "client" && actor_id !== null && names.clients.includes(actor_id))
    return (
      <Name href={`${base}/settings/clients#client-${actor_id}`} strong>
        {actor_name}
      </Name>
    );
  return <span className="font-medium">{actor_name}</span>;
}

function runName(run: number, names: AuditNames, base: string): ReactNode {
  const file = names.runs[run];
  return file === undefined ? text.run(run) : <Name href={`${base}/migration/${run}`}>{text.run(run, file)}</Name>;
}

function account(href: string, known: { name: string | undefined; isKnown: boolean; unknown: string }): ReactNode {
  if (known.name === undefined) return known.unknown;
  return known.isKnown ? <Name href={href}>{known.name}</Name> : known.name;
}

function Name({ href, strong, children }: { href: string; strong?: true; children: ReactNode }) {
  return (
    <Link
      href={href}
      prefetch={false}
      className={classNames("text-accent-strong underline underline-offset-2", strong && "font-medium")}
    >
      {children}
    </Link>
  );
}
