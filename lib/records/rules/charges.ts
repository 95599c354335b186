import { z } from "zod";
import { decimal, list, text } from "@/lib/records/engine/fields";

/** Codes of places of service. */
export const placeOfService = z.enum([
  "1",
  "2",
  "3",
  "4",
  "5",
  "6",
  "7",
  "8",
  "9",
  "10",
  "11",
  "12",
  "13",
  "14",
  "15",
  "16",
  "17",
  "18",
  "19",
  "20",
  "21",
  "22",
  "23",
  "24",
  "25",
  "26",
  "27",
  "31",
  "32",
  "33",
  "34",
  "41",
  "42",
  "49",
  "50",
  "51",
  "52",
  "53",
  "54",
  "55",
  "56",
  "57",
  "60",
  "61",
  "62",
  "65",
  "66",
  "71",
  "72",
  "81",
  "99",
]);

export const referringProvider = z.object({ name: text(), npi: text(10).nullable().optional(), state: text() });

const modifier = text(2).nullable().optional();
const dose = decimal(7, 3);

/** A charge as sent and stored: a procedure, its diagnoses, and the price of one unit. */
export const sentCpt = z.object({
  cpt: text(),
  dxs: list(z.object({ icd10_code: text(), icd9_codes: list(text()).optional() })),
  modifier_1: modifier,
  modifier_2: modifier,
  modifier_3: modifier,
  modifier_4: modifier,
  ndc: text(11).nullable().optional(),
  ndc_dose: dose.nullable().optional(),
  ndc_measure: z.enum(["GR", "F2", "ME", "ML", "UN"]).nullable().optional(),
  unit_charge: text(),
  units: text(),
});

/** A charge in responses: with the description of its code, and empty texts for missing values. */
export const listedCpt = z.object({
  alt_dxs: list(text()),
  cpt: text(),
  description: text().nullable(),
  dxs: list(text()),
  modifiers: list(text()),
  ndc: text(),
  ndc_dose: text(),
  ndc_measure: text(),
  unit_charge: text(),
  units: text(),
});

/** Converts a stored charge to its form in responses. */
export function toListedCpt(sent: z.output<typeof sentCpt>, description: string | null): z.output<typeof listedCpt> {
  const { cpt, dxs, ndc, ndc_dose, ndc_measure, unit_charge, units } = sent;
  const modifiers = [sent.modifier_1, sent.modifier_2, sent.modifier_3, sent.modifier_4];
  return {
    alt_dxs: dxs.flatMap(({ icd9_codes }) => icd9_codes ?? []),
    cpt,
    description,
    dxs: dxs.map(({ icd10_code }) => icd10_code),
    modifiers: modifiers.filter((one): one is string => Boolean(one)),
    ndc: ndc ?? "",
    ndc_dose: ndc_dose ?? "",
    ndc_measure: ndc_measure ?? "",
    unit_charge,
    units,
  };
}
