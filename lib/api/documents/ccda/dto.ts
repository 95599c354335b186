/** The contract's `CCDA`. */
export function toCcdaDto(patientId: number, xml: string) {
  return { id: patientId, base64_ccda: Buffer.from(xml, "utf8").toString("base64") };
}
