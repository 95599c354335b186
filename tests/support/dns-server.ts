// A name server on a loopback address that serves only A and AAAA records (RFC 1035).
import dgram from "node:dgram";
import ipaddr from "ipaddr.js";

const TYPES = { 1: "A", 28: "AAAA" } as const;
type Question = { name: string; type: "A" | "AAAA" };

export interface DnsServer {
  /** In the format that Node's resolvers take. */
  address: string;
  questions: Question[];
  close: () => Promise<void>;
}

/** Starts the name server. @param lookUp returns the addresses of a name, or null to send no response */
export async function startDnsServer(lookUp: (question: Question) => string[] | null): Promise<DnsServer> {
  const socket = dgram.createSocket("udp4");
  const questions: Question[] = [];
  socket.on("message", (query, { port, address }) => {
    const { question, end } = readQuestion(query);
    questions.push(question);
    const addresses = lookUp(question);
    if (addresses) socket.send(reply(query.subarray(0, end), addresses), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, "127.0.0.1", resolve));
  const close = () => new Promise<void>((resolve) => socket.close(() => resolve()));
  return { address: `127.0.0.1:${socket.address().port}`, questions, close };
}

const HEAD_BYTES = 12;

function readQuestion(query: Buffer): { question: Question; end: number } {
  const labels: string[] = [];
  let at = HEAD_BYTES;
  for (let length = query[at] ?? 0; length > 0; length = query[at] ?? 0) {
    labels.push(query.toString("latin1", at + 1, at + 1 + length));
    at += 1 + length;
  }
  const type = TYPES[query.readUInt16BE(at + 1) as keyof typeof TYPES];
  return { question: { name: labels.join("."), type }, end: at + 5 };
}

/** Builds a reply. Without addresses, the name does not exist. */
function reply(asked: Buffer, addresses: string[]): Buffer {
  const head = Buffer.from(asked);
  head.writeUInt16BE(addresses.length > 0 ? 0x8180 : 0x8183, 2);
  head.writeUInt16BE(addresses.length, 6);
  head.writeUInt32BE(0, 8);
  const records = addresses.map((address) => {
    const bytes = ipaddr.parse(address).toByteArray();
    const type = bytes.length === 4 ? 1 : 28;
    // The name as a pointer to the question's, class IN, TTL 0.
    return Buffer.from([0xc0, HEAD_BYTES, 0, type, 0, 1, 0, 0, 0, 0, 0, bytes.length, ...bytes]);
  });
  return Buffer.concat([head, ...records]);
}
