"use client";

import { useParams, usePathname } from "next/navigation";
import { useRights } from "@/components/session/rights";
import { ErrorPage } from "@/components/shell/error-page";
import { mainPageOf } from "@/components/shell/main-pages";
import { ButtonLink } from "@/components/ui/button-link";
import { formatList } from "@/components/ui/format";

/** Says which role a page needs, and who can change the user's role. */
export default function Forbidden() {
  const { practice } = useParams<{ practice: string }>();
  const base = `/practices/${practice}`;
  const { role, admins } = useRights();
  const page = mainPageOf(base, usePathname());
  const isAdminPage = page?.role === "admin";
  return (
    <ErrorPage
      title={isAdminPage ? `Only admins can open ${page.label}` : "Your account can only view records"}
      actions={
        <>
          <ButtonLink href={`${base}/patients`} kind="primary">
            Find a patient
          </ButtonLink>
          <ButtonLink href={base}>Go to Home</ButtonLink>
        </>
      }
    >
      This page needs the {isAdminPage ? "admin" : "staff"} role. Your role is {role}.{" "}
      {admins.length > 0
        ? `To change it, ask an admin of this practice: ${formatList(admins)}.`
        : "This practice has no admin. To change your role, ask the operator of Crosswalk in your organization."}
    </ErrorPage>
  );
}
