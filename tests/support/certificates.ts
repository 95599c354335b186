// Certificates for the tests' TLS servers, created on the fly: none expires, and no private key is in the repository.
import { generateKeyPairSync, type KeyObject, randomBytes, sign } from "node:crypto";

export interface Certificate {
  key: string;
  cert: string;
}

interface Issuer {
  name: string;
  key: KeyObject;
}

const DAY_MS = 86_400_000;
const oid = (hex: string) => der(0x06, Buffer.from(hex, "hex"));
const ED25519 = der(0x30, oid("2b6570"));
const ECDSA_WITH_SHA256 = der(0x30, oid("2a8648ce3d040302"));
const COMMON_NAME = oid("550403");
const ALTERNATIVE_NAME = oid("551d11");

/** Creates an issuer that no client trusts. */
export function unknownIssuer(): Issuer {
  return { name: "Unknown Issuer", key: generateKeyPairSync("ed25519").privateKey };
}

/**
 * Creates a certificate for DNS names, self-signed unless an issuer is given, valid from `fromDays` to `toDays` from
 * now. Its key is Ed25519, or P-256 with `ecdsa`, which only signs itself.
 */
export function createCertificate(options: {
  names: string[];
  issuer?: Issuer;
  ecdsa?: boolean;
  fromDays?: number;
  toDays?: number;
}): Certificate {
  const { names, ecdsa = false, fromDays = -1, toDays = 1 } = options;
  const { publicKey, privateKey } = ecdsa
    ? generateKeyPairSync("ec", { namedCurve: "P-256" })
    : generateKeyPairSync("ed25519");
  const algorithm = ecdsa ? ECDSA_WITH_SHA256 : ED25519;
  const subject = names[0] as string;
  const issuer = options.issuer ?? { name: subject, key: privateKey };
  const alternatives = der(0x30, ...names.map((name) => der(0x82, Buffer.from(name))));
  const body = der(
    0x30,
    der(0xa0, der(0x02, Buffer.of(2))),
    der(0x02, Buffer.concat([Buffer.of(1), randomBytes(8)])),
    algorithm,
    distinguishedName(issuer.name),
    der(0x30, time(fromDays), time(toDays)),
    distinguishedName(subject),
    publicKey.export({ format: "der", type: "spki" }),
    der(0xa3, der(0x30, der(0x30, ALTERNATIVE_NAME, der(0x04, alternatives)))),
  );
  const signature = der(0x03, Buffer.of(0), sign(ecdsa ? "sha256" : null, body, issuer.key));
  const base64 = der(0x30, body, algorithm, signature).toString("base64");
  const lines = base64.match(/.{1,64}/g)?.join("\n");
  return {
    key: privateKey.export({ format: "pem", type: "pkcs8" }).toString(),
    cert: `-----BEGIN CERTIFICATE-----\n${lines}\n-----END CERTIFICATE-----\n`,
  };
}

function distinguishedName(name: string): Buffer {
  return der(0x30, der(0x31, der(0x30, COMMON_NAME, der(0x0c, Buffer.from(name)))));
}

function time(days: number): Buffer {
  const digits = new Date(Date.now() + days * DAY_MS).toISOString().replace(/\D/g, "");
  return der(0x18, Buffer.from(`${digits.slice(0, 14)}Z`));
}

/** Encodes one element of DER: tag, length, contents. */
function der(tag: number, ...contents: Buffer[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const size = length < 0x80 ? [length] : length < 0x100 ? [0x81, length] : [0x82, length >> 8, length & 0xff];
  return Buffer.concat([Buffer.of(tag, ...size), content]);
}
