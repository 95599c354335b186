"use client";

import { useParams, usePathname } from "next/navigation";
import { useRights } from "@/components/session/rights";
import { ErrorPage } from "@/components/shell/error-page";
import { mainPageOf } from "@/components/shell/main-pages";
import { notFound, forbidden as text } from "@/components/shell/messages/errors";
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
      title={isAdminPage ? text.adminPage(page.label) : text.staffPage}
      actions={
        <>
          <ButtonLink href={`${base}/patients`} kind="primary">
            {notFound.findPatient}
          </ButtonLink>
          <ButtonLink href={base}>{notFound.toHome}</ButtonLink>
        </>
      }
    >
      {text.needed(isAdminPage ? "admin" : "staff", role)}{" "}
      {admins.length > 0 ? text.askAdmins(formatList(admins)) : text.noAdmins}
    </ErrorPage>
  );
}
