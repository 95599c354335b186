import { headers } from "next/headers";
import { redirect } from "next/navigation";
import { findStaffAccess } from "@/lib/access/staff/access";

/** Leads to work: the first practice of whoever is signed in. */
export default async function Start() {
  const access = await findStaffAccess((await headers()).get("cookie"), "person");
  const practice = access?.practices[0];
  redirect(practice === undefined ? "/sign-in" : `/practices/${practice}`);
}
