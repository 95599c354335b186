// Patients of a legacy export generated from the schemas: with every field filled, or with any value that a field
// allows.
import fc from "fast-check";
import { z } from "zod";
import type { JsonSchema } from "@/lib/api/openapi/schema";
import { insuranceInputShape } from "@/lib/insurance/fields/fields";
import { detailsShape, patientInput } from "@/lib/insurance/patients/schema";
import { type Size, valuesOf } from "./generated-values";
import { COMPANIES } from "./legacy-export";

type Fields = Record<string, unknown>;

const { middle_name, phones } = patientInput.shape;
const demographics = z.object({ ...detailsShape, middle_name, phones }).partial();
const insurance = z.object(insuranceInputShape);

/** Fields whose values must mean something beyond their schema. */
const KNOWN = { timezone: "America/New_York", insurance_company: COMPANIES[0]?.id, insurance_plan: null };

function described(schema: z.ZodType): JsonSchema {
  return z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as JsonSchema;
}

const arbitrary = (schema: z.ZodType, size: Size) =>
  valuesOf(described(schema), { schemas: {}, size, known: KNOWN }) as fc.Arbitrary<Fields>;

/** Puts dates in order, because generated ones may not be. */
const inOrder = (fields: Fields): Fields => ({ ...fields, start_date: "2015-01-01", end_date: null });

/** Generates demographics with every field of the schema filled. */
export function filledDemographics(): Fields {
  const [fields] = fc.sample(arbitrary(demographics, "maximal"), { numRuns: 1, seed: 7 });
  return fields as Fields;
}

/** Generates insurance fields, all filled. */
export function filledInsurance(): Fields {
  const [fields] = fc.sample(arbitrary(insurance, "maximal"), { numRuns: 1, seed: 7 });
  return { ...inOrder(fields as Fields), end_date: "2030-01-01", copay: "20.00", deductible: "250.00" };
}

/** Demographics and insurance fields with any value that their schema allows, including missing ones. */
export const anyDemographics = arbitrary(demographics, "any");
export const anyInsurance = arbitrary(insurance, "any").map(inOrder);
