"use client";

import { useParams } from "next/navigation";
import { ErrorPage } from "@/components/shell/error-page";
import { ButtonLink } from "@/components/ui/button-link";

export default function NotFound() {
  const { practice } = useParams<{ practice: string }>();
  return (
    <ErrorPage
      title="This page does not exist"
      actions={
        <>
          <ButtonLink href={`/practices/${practice}/patients`} kind="primary">
            Find a patient
          </ButtonLink>
          <ButtonLink href={`/practices/${practice}`}>Go to Home</ButtonLink>
        </>
      }
    >
      It may have been deleted, or belong to another practice. Nothing was changed.
    </ErrorPage>
  );
}
