import { createHmac } from "node:crypto";
import { describe, expect, test } from "vitest";
import { config } from "@/lib/platform/config";
import { seal, unseal } from "@/lib/platform/sealing";
import { sign, verifySignature } from "@/lib/platform/signing";

const PURPOSES = ["card-image", "file", "staff-session", "wrong-password"] as const;
const direct = (purpose: string, text: string) =>
  createHmac("sha256", config().SECRET_KEY).update(`${purpose}\n${text}`).digest("base64url");

describe("a signature", () => {
  test("is valid for one purpose and one text only", () => {
    for (const purpose of PURPOSES) {
      expect(verifySignature(purpose, "a", sign(purpose, "a"))).toBe(true);
      expect(verifySignature(purpose, "b", sign(purpose, "a"))).toBe(false);
      for (const other of PURPOSES.filter((one) => one !== purpose))
        expect(verifySignature(other, "a", sign(purpose, "a"))).toBe(false);
    }
  });

  test("is made with a key of its purpose, not with SECRET_KEY itself", () => {
    for (const purpose of PURPOSES) expect(sign(purpose, "a")).not.toBe(direct(purpose, "a"));
  });

  test("stays the same across releases for a stored ID", () => {
    for (const purpose of ["imported-card", "ccda-root"] as const)
      expect(sign(purpose, "a")).toBe(direct(purpose, "a"));
  });
});

describe("a sealed text", () => {
  test("opens only in its context and unchanged", () => {
    for (const text of ["", "Maria Lopez", "😀".repeat(200), `"quoted"\n`.repeat(40).trimEnd()]) {
      const sealed = seal("cursor", text, "here");
      expect(unseal("cursor", sealed, "here")).toBe(text);
      expect(unseal("cursor", sealed, "there")).toBe(null);
      expect(sealed).not.toBe(seal("cursor", text, "there"));
      const bytes = Buffer.from(sealed, "base64url");
      for (const at of [0, 1, 12, 13, bytes.length - 17, bytes.length - 1]) {
        const changed = Buffer.from(bytes);
        changed.writeUInt8(changed.readUInt8(at) ^ 0x80, at);
        expect(unseal("cursor", changed.toString("base64url"), "here")).toBe(null);
      }
      for (const cut of [0, 1, 28, bytes.length - 1])
        expect(unseal("cursor", bytes.subarray(0, cut).toString("base64url"), "here")).toBe(null);
    }
  });

  test("has only one valid spelling", () => {
    const sealed = seal("cursor", "text", "here");
    for (const other of [`${sealed}=`, `${sealed} `, sealed.replaceAll("_", "/").replaceAll("-", "+"), `${sealed}!`])
      if (other !== sealed) expect(unseal("cursor", other, "here")).toBe(null);
  });
});
