import { z } from "zod";
import { practiceShape } from "@/lib/practice/practices/schema";
import { serviceLocations } from "@/lib/records/catalog/practice/service-locations";
import { responseSchema } from "@/lib/records/engine/rules";

/** The contract's `Practice`. */
export const practiceResponse = z
  .object({
    id: z.int(),
    ...practiceShape,
    elation_root_oid: z.string(),
    employers: z.array(z.unknown()),
    physicians: z.array(z.int()),
    service_locations: z.array(responseSchema(serviceLocations, "get")),
    status: z.string(),
    timezone: z.string(),
  })
  .meta({ title: "Practice" });

/** The contract's `EligibilityUsage`. */
export const usageResponse = z
  .object({
    start_date: z.iso.date(),
    end_date: z.iso.date(),
    total_checks: z.int(),
    successful_checks: z.int(),
    failed_checks: z.int(),
  })
  .meta({ title: "EligibilityUsage" });
