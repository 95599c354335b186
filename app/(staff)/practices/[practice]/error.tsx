"use client";

import { useParams } from "next/navigation";
import { Failure, type FailureProps } from "@/components/shell/failure";
import { ButtonLink } from "@/components/ui/button-link";

export default function PracticeError(props: FailureProps) {
  const { practice } = useParams<{ practice: string }>();
  return <Failure {...props} way={<ButtonLink href={`/practices/${practice}`}>Go to Home</ButtonLink>} />;
}
