// GET, POST auth/…: sign-in, sign-out and the OpenID provider's way back, by next-auth.
import nextAuth from "next-auth";
import { signInOptions } from "@/lib/staff/sign-in";

type Context = { params: Promise<{ nextauth: string[] }> };

async function handle(request: Request, context: Context): Promise<Response> {
  return nextAuth(request as never, context as never, signInOptions(request));
}

export { handle as GET, handle as POST };
