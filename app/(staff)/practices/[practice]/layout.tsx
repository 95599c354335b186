import type { ReactNode } from "react";
import { requireSession, requireStaff } from "@/app/(staff)/require-staff";
import { Providers } from "@/components/shell/providers";
import { Shell } from "@/components/shell/shell";
import { dayOf } from "@/components/ui/zone-time";
import { listAdminNames } from "@/lib/access/staff/member-queries";
import { config } from "@/lib/platform/config";
import { listPracticeNames } from "@/lib/practice/practices/staff-queries";
// React needs the code of these pages to hydrate the layout. Importing them here bundles it with the layout's code.
import "./error";
import "./forbidden";
import "./not-found";

/** Returns the OpenID provider's name, if one is configured. */
const openIdName = () => (config().OIDC_ISSUER ? config().OIDC_NAME : undefined);

type Props = { children: ReactNode; params: Promise<{ practice: string }> };

export default async function PracticeLayout({ children, params }: Props) {
  const session = await requireSession();
  const { access, practice } = await requireStaff(params);
  const practices = await listPracticeNames(session);
  const current = practices.find(({ id }) => id === practice);
  if (!current) throw new Error("the practice is missing from its own staff's list");
  // An admin is never asked to find one.
  const admins = session.role === "admin" ? [] : await listAdminNames(access);
  const user = { name: session.actor.name, email: session.email, role: session.role };
  return (
    <Providers
      zone={current.timezone}
      today={dayOf(Date.now(), current.timezone)}
      user={session.actor.id}
      email={session.email}
      rights={{ role: session.role, canExport: session.canExport, admins }}
      openId={openIdName()}
    >
      <Shell user={user} practices={practices} current={current}>
        {children}
      </Shell>
    </Providers>
  );
}
