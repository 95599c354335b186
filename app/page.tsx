import { headers } from "next/headers";
import { redirect } from "next/navigation";
import { findStaffAccess } from "@/lib/access/staff/access";

/** Redirects to the user's first practice, or to the sign-in page. */
export default async function Start() {
  const access = await findStaffAccess((await headers()).get("cookie"), "person");
  const practice = access?.practices[0];
  redirect(practice === undefined ? "/sign-in" : `/practices/${practice}`);
}
