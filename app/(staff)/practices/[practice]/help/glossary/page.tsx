import type { Metadata } from "next";
import { requireStaff } from "@/app/(staff)/require-staff";
import { Glossary } from "@/components/help/glossary";
import { glossaryPage as text } from "@/components/help/messages/help";

export const metadata: Metadata = { title: text.title };

type Props = { params: Promise<{ practice: string }> };

export default async function GlossaryPage({ params }: Props) {
  const { practice } = await requireStaff(params);
  return <Glossary practice={practice} />;
}
