import { redirect } from "next/navigation";

export default async function Home({ params }: { params: Promise<{ practice: string }> }) {
  redirect(`/practices/${(await params).practice}/patients`);
}
