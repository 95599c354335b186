import { toPatientDto } from "@/lib/insurance/patients/dto";
import { etagOf } from "@/lib/platform/http/conditional";
import type { Reply } from "@/lib/platform/http/response";
import { deprecationHeaders } from "@/lib/practice/practices/rules";
import type { PatientView } from "./view-queries";

/** Builds the response with one patient. If it includes legacy insurances, it has deprecation headers (design §6). */
export function replyWithPatient(view: PatientView, baseUrl: URL): Reply {
  const { patient, insurances, rules } = view;
  return {
    body: toPatientDto(patient, insurances),
    headers: { etag: etagOf(patient.version), ...(insurances ? deprecationHeaders(rules, patient.id, baseUrl) : {}) },
  };
}
