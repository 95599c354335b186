import { dehydrate, HydrationBoundary, QueryClient } from "@tanstack/react-query";
import type { Metadata } from "next";
import { readIds, readOrGone } from "@/app/(staff)/read-record";
import { auditPage, requireStaff } from "@/app/(staff)/require-staff";
import { BLOCK_SIZE, blockKey, versionKey } from "@/components/policies/history/history-keys";
import { PolicyHistory } from "@/components/policies/history/policy-history";
import { breadcrumbs, patientNames, unnamedPolicy } from "@/components/policies/messages/fields";
import { historyPage as text } from "@/components/policies/messages/history";
import { pageTitles } from "@/components/policies/messages/page-titles";
import { PolicyDeleted, VersioningOff } from "@/components/policies/policy-unavailable";
import { PageHeader } from "@/components/ui/page-header";
import type { StaffAccess } from "@/lib/access/staff/access";
import { toStaffVersionDto } from "@/lib/insurance/policies/dto";
import { listVersions } from "@/lib/insurance/policies/queries";
import { type HistoryQuery, historyQuery } from "@/lib/insurance/policies/schema";
import { readVersions, viewPolicy } from "@/lib/insurance/policies/staff-queries";
import { type PageParams, pageQueryOrDefaults } from "@/lib/platform/http/query";

export const metadata: Metadata = { title: pageTitles.history };

type Params = { practice: string; patient: string; policy: string };
type Props = { params: Promise<Params>; searchParams: Promise<PageParams> };

export default async function History({ params, searchParams }: Props) {
  const { access, practice } = await requireStaff(params);
  const { patient, policy: policyId } = readIds(await params, "patient", "policy");
  const view = await readOrGone(viewPolicy(access, patient, policyId));
  if (!view) return <PolicyDeleted practice={practice} patient={patient} />;
  const { policy, versioning } = view;
  const query = pageQueryOrDefaults(historyQuery, await searchParams);
  const [client] = await Promise.all([
    versioning ? prepare(access, { patient, policy: policyId, newest: policy.version }, query) : null,
    auditPage(access, "staff.policies.history", [patient]),
  ]);
  if (!client) return <VersioningOff practice={practice} patient={view.patient} />;
  const home = `/practices/${practice}/patients`;
  const name = patientNames.listed(policy.patient_first_name, policy.patient_last_name);
  const title = policy.carrier ?? policy.plan ?? unnamedPolicy(policy.id);
  return (
    <>
      <PageHeader
        trail={[
          { label: breadcrumbs.patients, href: home },
          { label: name, href: `${home}/${patient}` },
          { label: title, href: `${home}/${patient}/policies/${policyId}` },
        ]}
        title={text.title}
        meta={
          <>
            {title}
            {policy.member_id && (
              <>
                {" "}
                · <span className="font-mono">{policy.member_id}</span>
              </>
            )}{" "}
            · {text.versions(policy.version)}
            {policy.status === "archived" && ` · ${text.archived}`}
          </>
        }
      />
      <HydrationBoundary state={dehydrate(client)}>
        <PolicyHistory practice={practice} patient={patient} policy={policyId} currentVersion={policy.version} />
      </HydrationBoundary>
    </>
  );
}

/** Fetches what the first paint shows: the newest versions, those around the chosen one, and the two being compared. */
async function prepare(
  access: StaffAccess,
  place: { patient: number; policy: number; newest: number },
  query: HistoryQuery,
): Promise<QueryClient> {
  const { patient, policy, newest } = place;
  const client = new QueryClient();
  const chosen = Math.min(newest, Math.max(1, query.version ?? newest));
  const other = Math.min(newest, query.with ?? chosen - 1);
  const compared = [chosen, other].filter((number) => number > 0);
  const details = readVersions(access, patient, policy, compared);
  const blocks = new Set([newest, chosen].map((number) => Math.floor((number - 1) / BLOCK_SIZE)));
  await Promise.all([
    ...[...blocks].map((block) =>
      client.prefetchQuery({
        queryKey: blockKey(policy, block, newest),
        queryFn: async () => {
          const page = { limit: BLOCK_SIZE, offset: block * BLOCK_SIZE, order: "id" };
          const { rows, count } = await listVersions(access, patient, policy, page);
          return { count, results: rows.map(toStaffVersionDto) };
        },
      }),
    ),
    ...compared.map((number, index) =>
      client.prefetchQuery({
        queryKey: versionKey(policy, number),
        queryFn: async () => (await details)[index],
      }),
    ),
  ]);
  return client;
}
