import { z } from "zod";
import { type EligibilityAnswer, type EligibilityInquiry, failedAnswer, noBenefits, SERVICE_TYPE } from "./provider";
import type { Benefit, BenefitKind, EligibilityProblem } from "./schema";

// The JSON form of X12 270/271 that clearinghouses share: Optum's Medical Network Eligibility v3 and Stedi's real-time check (ADR 0215).

/** Builds the body of a 270 request. A patient who is not the subscriber is a dependent. */
export function toRequest({
  payer,
  memberId,
  groupNumber,
  patient,
  subscriber,
  requester,
  ...inquiry
}: EligibilityInquiry) {
  const day = (date: string | null) => date?.replaceAll("-", "") ?? undefined;
  const person = (of: typeof patient) => ({
    firstName: of.first_name,
    lastName: of.last_name,
    dateOfBirth: day(of.dob),
    gender: of.sex?.startsWith("F") ? "F" : of.sex?.startsWith("M") ? "M" : undefined,
  });
  return {
    tradingPartnerServiceId: payer.id ?? undefined,
    tradingPartnerName: payer.name,
    provider: { organizationName: requester.name, npi: requester.npi ?? undefined },
    subscriber: { memberId, groupNumber: groupNumber ?? undefined, ...person(subscriber) },
    ...(inquiry.relationship !== null && { dependents: [person(patient)] }),
    encounter: { serviceTypeCodes: [SERVICE_TYPE], dateOfService: day(inquiry.date) },
  };
}

const MAX_TEXT = 200;
/** A payer reports some hundred benefits at most. */
const MAX_BENEFITS = 1_000;

/** PostgreSQL stores neither NUL nor half of a surrogate pair. */
const clean = (value: string) =>
  value
    .replace(/\p{Cc}+/gu, " ")
    .toWellFormed()
    .trim()
    .slice(0, MAX_TEXT)
    .toWellFormed();

/** A text. Other values count as absent, because one odd value must not hide the rest of an answer. */
const text = z
  .union([z.string(), z.number()])
  .transform((value) => clean(String(value)) || undefined)
  .optional()
  .catch(undefined);
const list = <T extends z.ZodType>(item: T) =>
  z
    .array(z.unknown())
    .transform((items) =>
      items.slice(0, MAX_BENEFITS).flatMap((one) => {
        const parsed = item.safeParse(one);
        return parsed.success ? [parsed.data] : [];
      }),
    )
    .catch([]);
const part = <S extends z.ZodRawShape>(shape: S) => z.object(shape).optional().catch(undefined);

const problem = z.object({ code: text, description: text });
const address = part({ address1: text, address2: text, city: text, state: text, postalCode: text });

const answer = z.object({
  errors: list(problem),
  planStatus: list(z.object({ statusCode: text, planDetails: text })),
  benefitsInformation: list(
    z.object({
      code: text,
      name: text,
      coverageLevelCode: text,
      serviceTypeCodes: list(z.string()),
      serviceTypes: list(z.string()),
      insuranceType: text,
      planCoverage: text,
      timeQualifierCode: text,
      benefitAmount: text,
      benefitPercent: text,
      inPlanNetworkIndicatorCode: text,
      additionalInformation: list(z.object({ description: text })),
    }),
  ),
  payer: part({ name: text }),
  planInformation: part({ groupNumber: text, groupDescription: text, planNumber: text, planDescription: text }),
  planDateInformation: part({ planBegin: text, planEnd: text, plan: text, eligibility: text, eligibilityBegin: text }),
  subscriber: part({ memberId: text, firstName: text, middleName: text, lastName: text, gender: text, address }),
});

/** EB01: 1 to 5 are kinds of active coverage, 6 to 8 of inactive coverage. */
const isActive = (code: string | undefined) => /^[1-5]$/.test(code ?? "");
const isInactive = (code: string | undefined) => /^[678]$/.test(code ?? "");

/** EB01 of the benefits that a report lists. */
const KINDS: Readonly<Record<string, BenefitKind>> = {
  A: "coinsurance",
  B: "copay",
  C: "deductible",
  G: "out_of_pocket",
  F: "limitations",
};
const LEVELS: Readonly<Record<string, string>> = {
  IND: "individual",
  FAM: "family",
  EMP: "employee",
  ESP: "employee and spouse",
  CHD: "children",
  DEP: "dependents",
};
const PERIODS: Readonly<Record<string, string>> = {
  "21": "years",
  "22": "service year",
  "23": "calendar_year",
  "24": "year to date",
  "25": "contract",
  "26": "episode",
  "27": "visit",
  "29": "remaining",
  "32": "lifetime",
  "34": "month",
};
const NETWORKS = { Y: "in_network", N: "out_of_network" } as const;

/** AAA03 of a rejection, as staff read it. */
const REJECTIONS: Readonly<Record<string, readonly [code: string, message: string]>> = {
  "42": ["payer_unavailable", "The payer did not respond."],
  "72": ["invalid_member_id", "The payer rejected this member ID."],
  "73": ["name_mismatch", "The payer has another name for this member ID."],
  "71": ["dob_mismatch", "The payer has another date of birth for this member ID."],
  "75": ["member_not_found", "The payer did not find this member ID."],
  "76": ["member_not_found", "The payer found several members with this member ID."],
  "79": ["unknown_payer", "The clearinghouse does not know this payer ID."],
  "80": ["payer_unavailable", "The payer did not respond."],
};

/** Reads the body of a 271 response. Returns the answer of a failed check if the body is not one. */
export function readAnswer(body: unknown): EligibilityAnswer {
  const parsed = answer.safeParse(body);
  if (!parsed.success) return failedAnswer("invalid_response", "The clearinghouse sent a response that can't be read.");
  const { errors, planStatus, benefitsInformation } = parsed.data;
  if (errors.length > 0) return { ...failedAnswer("", ""), errors: errors.map(toProblem) };
  const codes = [...planStatus.map(({ statusCode }) => statusCode), ...benefitsInformation.map(({ code }) => code)];
  const status = codes.some(isActive) ? "active" : codes.some(isInactive) ? "inactive" : null;
  if (status === null) return failedAnswer("no_status", "The payer did not say whether the coverage is active.");
  const benefits = noBenefits();
  for (const { code, ...benefit } of benefitsInformation) {
    const kind = KINDS[code ?? ""];
    if (kind) benefits[kind].push(toBenefit(benefit));
  }
  return { status, errors: [], benefits, plan: toPlan(parsed.data), subscriber: toSubscriber(parsed.data.subscriber) };
}

type Answer = z.output<typeof answer>;

function toProblem({ code, description }: z.output<typeof problem>): EligibilityProblem {
  const [name, message] = REJECTIONS[code ?? ""] ?? [];
  return {
    code: name ?? `payer_${(code ?? "error").toLowerCase()}`,
    message: message ?? description ?? "The payer rejected the request.",
  };
}

function toBenefit(info: Omit<Answer["benefitsInformation"][number], "code">): Benefit {
  const { coverageLevelCode, timeQualifierCode, inPlanNetworkIndicatorCode: network } = info;
  const notes = info.additionalInformation.flatMap(({ description }) => description ?? []);
  return compact({
    service_type: info.serviceTypes.map(clean).join(", ") || undefined,
    service_type_code: info.serviceTypeCodes[0] && clean(info.serviceTypeCodes[0]),
    coverage_level: LEVELS[coverageLevelCode ?? ""] ?? coverageLevelCode,
    network: network === "Y" || network === "N" ? NETWORKS[network] : undefined,
    amount: toDecimal(info.benefitAmount, 1),
    percent: toDecimal(info.benefitPercent, 100),
    time_period: PERIODS[timeQualifierCode ?? ""] ?? timeQualifierCode,
    message: clean(notes.join(" ")) || undefined,
  });
}

/** Returns a decimal with two digits after the point, or undefined if the text is no such number. X12 writes 20% as 0.2. */
function toDecimal(value: string | undefined, factor: number): string | undefined {
  if (value === undefined || !/^\d{0,8}(\.\d{1,6})?$/.test(value) || value === "") return undefined;
  const decimal = (Number(value) * factor).toFixed(2);
  return decimal.length <= 11 ? decimal : undefined;
}

function toPlan({ payer, planInformation: plan, planDateInformation: dates, planStatus, subscriber, ...rest }: Answer) {
  const [begin, end] = (dates?.plan ?? dates?.eligibility ?? "").split("-");
  return {
    ...compact({
      carrier: payer?.name,
      group_name: plan?.groupDescription,
      group_number: plan?.groupNumber,
      member_id: subscriber?.memberId,
      plan_name: plan?.planDescription ?? planStatus[0]?.planDetails,
      plan_number: plan?.planNumber,
      start_date: toDay(dates?.planBegin ?? dates?.eligibilityBegin ?? begin),
    }),
    end_date: toDay(dates?.planEnd ?? end) ?? null,
    insurance_type: rest.benefitsInformation.find(({ insuranceType }) => insuranceType)?.insuranceType ?? null,
  };
}

/** Converts `20250131` to `2025-01-31`. Returns undefined if it is no date. */
function toDay(value: string | undefined): string | undefined {
  const [, year, month, day] = /^(\d{4})(\d{2})(\d{2})$/.exec(value ?? "") ?? [];
  const date = `${year}-${month}-${day}`;
  return z.iso.date().safeParse(date).success ? date : undefined;
}

function toSubscriber(subscriber: Answer["subscriber"]) {
  if (!subscriber) return {};
  const { firstName, middleName, lastName, memberId, gender, address: place } = subscriber;
  return compact({
    first_name: firstName,
    middle_name: middleName,
    last_name: lastName,
    name: [firstName, middleName, lastName].filter(Boolean).join(" ") || undefined,
    member_id: memberId,
    sex_at_birth: gender,
    address:
      place &&
      compact({
        address_1: place.address1,
        address_2: place.address2,
        city: place.city,
        state: place.state,
        postal_code: place.postalCode,
      }),
  });
}

type Compact<T> = { [K in keyof T]?: Exclude<T[K], undefined> };

/** Leaves out values that are undefined. */
function compact<T extends object>(object: T): Compact<T> {
  return Object.fromEntries(Object.entries(object).filter(([, value]) => value !== undefined)) as Compact<T>;
}
