"use client";

import type { ReactNode } from "react";
import { Copyable } from "@/components/ui/copyable";
import { formatList } from "@/components/ui/format";
import { Day } from "@/components/ui/time";
import { fieldHint } from "./field-hint";
import { FIELD_GROUPS, type FieldGroup, type FieldInfo, formatMoney, type Policy, rankLabel } from "./fields";
import { policyDetails as messages } from "./messages/policy-page";
import { policiesPath } from "./paths";
import { Ssn } from "./ssn";

/** Shows all fields of a policy in groups. Groups without any value share one line. */
export function PolicyDetails({ policy }: { policy: Policy }) {
  const isEmpty = ({ fields }: FieldGroup) => fields.every(({ name }) => policy[name] === null);
  const empty = FIELD_GROUPS.filter(isEmpty).map(({ title }) => title.toLowerCase());
  return (
    <div className="flex flex-col gap-4 print:block print:columns-2">
      {FIELD_GROUPS.filter((group) => !isEmpty(group)).map(({ title, fields }) => (
        <section
          key={title}
          aria-label={title}
          className="border-line bg-raised break-inside-avoid rounded-md border print:mb-4"
        >
          <h3 className="border-line border-b px-3 py-2 font-semibold">{title}</h3>
          <Group fields={fields} policy={policy} />
        </section>
      ))}
      {empty.length > 0 && <p className="text-soft">{messages.notOnFile(formatList(empty))}</p>}
    </div>
  );
}

function Group({ fields, policy }: { fields: readonly FieldInfo[]; policy: Policy }) {
  return (
    <dl className="px-3 py-1.5">
      {fields.map((info) => (
        <div key={info.name} className="grid grid-cols-[minmax(96px,11rem)_minmax(0,1fr)] gap-x-3 py-1">
          <dt className="text-soft">
            {info.label}
            {fieldHint(info.name)}
          </dt>
          <dd className="min-h-5 min-w-0">
            <Value info={info} policy={policy} />
          </dd>
        </div>
      ))}
    </dl>
  );
}

function Value({ info, policy }: { info: FieldInfo; policy: Policy }): ReactNode {
  const value = policy[info.name];
  if (info.name === "rank") return rankLabel(policy.rank);
  if (value === null || value === "") {
    if (info.name === "relationship_to_insured") return messages.self;
    return <span className="text-soft">{messages.notEntered}</span>;
  }
  const text = String(value);
  if (info.kind === "money") return <span className="font-mono">{formatMoney(text)}</span>;
  if (info.kind === "date") return <Day value={text} />;
  if (info.kind === "secret") {
    const path = policiesPath(policy.practice, policy.patient, policy.id);
    return <Ssn key={text} masked={text} path={path} label={info.label} />;
  }
  if (info.name === "member_id" || info.name === "group_id")
    return <Copyable value={text} label={info.label} className="-my-0.5" />;
  return <span className={info.kind === "code" ? "min-w-0 font-mono break-all" : "min-w-0"}>{text}</span>;
}
