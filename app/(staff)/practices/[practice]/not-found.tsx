"use client";

import { useParams } from "next/navigation";
import { ErrorPage } from "@/components/shell/error-page";
import { notFound as text } from "@/components/shell/messages/errors";
import { ButtonLink } from "@/components/ui/button-link";

export default function NotFound() {
  const { practice } = useParams<{ practice: string }>();
  return (
    <ErrorPage
      title={text.title}
      actions={
        <>
          <ButtonLink href={`/practices/${practice}/patients`} kind="primary">
            {text.findPatient}
          </ButtonLink>
          <ButtonLink href={`/practices/${practice}`}>{text.toHome}</ButtonLink>
        </>
      }
    >
      {text.inPractice}
    </ErrorPage>
  );
}
