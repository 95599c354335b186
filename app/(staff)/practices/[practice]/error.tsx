"use client";

import { useParams } from "next/navigation";
import { notFound } from "@/components/shell/messages/errors";
import { PageError } from "@/components/shell/page-error";
import type { ErrorBoundaryProps } from "@/components/shell/unexpected-error";
import { ButtonLink } from "@/components/ui/button-link";

export default function PracticeError(props: ErrorBoundaryProps) {
  const { practice } = useParams<{ practice: string }>();
  return <PageError {...props} action={<ButtonLink href={`/practices/${practice}`}>{notFound.toHome}</ButtonLink>} />;
}
