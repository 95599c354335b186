import type { CheckCounts, CheckRow } from "./queries";

const checkFacts = (row: CheckRow) => ({
  eligibility_check_timestamp: row.checked_date,
  patient_id: row.patient_id,
  patient_insurance_id: row.patient_insurance,
  practice_id: row.practice_id,
});

/** Maps a check to the contract's `InsuranceEligibility`. */
export function toEligibilityDto(row: CheckRow) {
  return { ...checkFacts(row), eligibility_details: row.details, eligibility_status: row.status };
}

/** Maps a check to the contract's `InsuranceEligibilityFullReport`. */
export function toFullReportDto(row: CheckRow) {
  return { ...checkFacts(row), ...row.report };
}

/** Maps the counts of checks to the contract's `EligibilityUsage`. */
export function toUsageDto(
  { total, failed }: CheckCounts,
  { startDate, endDate }: { startDate: string; endDate: string },
) {
  return {
    start_date: startDate,
    end_date: endDate,
    total_checks: total,
    successful_checks: total - failed,
    failed_checks: failed,
  };
}
