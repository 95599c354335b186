// Fictional organizations, practices, staff, API clients and payers of the demo.

export interface DemoPractice {
  key: "family" | "pediatrics" | "juniper";
  name: string;
  address_line1: string;
  city: string;
  state: string;
  zip: string;
  insurance_versioning_enabled: boolean;
  physicians: { first_name: string; last_name: string; credentials: string; specialty: string; npi: string }[];
}

export interface DemoOrganization {
  name: string;
  practices: DemoPractice[];
  /** The first one writes the demo's history. */
  clients: { name: string; scopedTokens: boolean }[];
}

/** Staff of the first organization's practices. Each installation generates their passwords. */
export const STAFF = [
  { email: "admin@harborlight.example", name: "Demo admin", role: "admin" },
  { email: "staff@harborlight.example", name: "Demo staff", role: "staff" },
  { email: "viewer@harborlight.example", name: "Demo viewer", role: "viewer" },
] as const;

export const ORGANIZATIONS: readonly DemoOrganization[] = [
  {
    name: "Harborlight Health",
    practices: [
      {
        key: "family",
        name: "Harborlight Family Medicine",
        address_line1: "18 Tidewater Row",
        city: "Camden",
        state: "ME",
        zip: "04843",
        insurance_versioning_enabled: true,
        physicians: [
          {
            first_name: "Oriel",
            last_name: "Thackersley",
            credentials: "MD",
            specialty: "Family Medicine",
            npi: "1558300016",
          },
          {
            first_name: "Priyanka",
            last_name: "Vellodi",
            credentials: "DO",
            specialty: "Family Medicine",
            npi: "1558300024",
          },
          {
            first_name: "Tobiah",
            last_name: "Lindgaard",
            credentials: "NP",
            specialty: "Geriatrics",
            npi: "1558300032",
          },
        ],
      },
      {
        key: "pediatrics",
        name: "Harborlight Pediatrics",
        address_line1: "40 Lantern Street",
        city: "Rockport",
        state: "ME",
        zip: "04856",
        insurance_versioning_enabled: false,
        physicians: [
          {
            first_name: "Maren",
            last_name: "Oduya-Hale",
            credentials: "MD",
            specialty: "Pediatrics",
            npi: "1558300040",
          },
          {
            first_name: "Caspian",
            last_name: "Roemhild",
            credentials: "MD",
            specialty: "Pediatrics",
            npi: "1558300057",
          },
        ],
      },
    ],
    clients: [
      { name: "Harborlight EHR connector", scopedTokens: true },
      { name: "Harborlight billing export", scopedTokens: false },
    ],
  },
  {
    name: "Juniper Valley Clinics",
    practices: [
      {
        key: "juniper",
        name: "Juniper Valley Internal Medicine",
        address_line1: "7 Sagebrush Court",
        city: "Delta",
        state: "CO",
        zip: "81416",
        insurance_versioning_enabled: true,
        physicians: [
          {
            first_name: "Ysolde",
            last_name: "Brankovic",
            credentials: "MD",
            specialty: "Internal Medicine",
            npi: "1558300065",
          },
        ],
      },
    ],
    clients: [{ name: "Juniper Valley connector", scopedTokens: true }],
  },
];

export interface DemoCompany {
  carrier: string;
  /** Prefix of its member IDs. */
  prefix: string;
  /** Color of its cards. */
  color: string;
  insurance_type: "Commercial" | "Medicare" | "Medicaid";
  address: string;
  city: string;
  state: string;
  zip: string;
  phone: string;
  plans: string[];
}

export const COMPANIES: readonly DemoCompany[] = [
  {
    carrier: "Granite Coast Mutual",
    prefix: "GCM",
    color: "#0f766e",
    insurance_type: "Commercial",
    address: "200 Quarry Road",
    city: "Augusta",
    state: "ME",
    zip: "04330",
    phone: "207-555-0110",
    plans: ["Gold PPO", "Silver PPO", "Bronze HDHP"],
  },
  {
    carrier: "Bluewater Health Plan",
    prefix: "BWH",
    color: "#1d4ed8",
    insurance_type: "Commercial",
    address: "11 Ferry Landing",
    city: "Portsmouth",
    state: "NH",
    zip: "03801",
    phone: "603-555-0124",
    plans: ["Choice HMO", "Choice POS"],
  },
  {
    carrier: "Pinecrest Cooperative",
    prefix: "PCC",
    color: "#166534",
    insurance_type: "Commercial",
    address: "5 Orchard Hill",
    city: "Montpelier",
    state: "VT",
    zip: "05602",
    phone: "802-555-0137",
    plans: ["Community Standard", "Community Plus"],
  },
  {
    carrier: "Northgate Assurance",
    prefix: "NGA",
    color: "#7c2d12",
    insurance_type: "Commercial",
    address: "900 Beacon Tower",
    city: "Worcester",
    state: "MA",
    zip: "01608",
    phone: "508-555-0141",
    plans: ["Employer Select", "Employer Core"],
  },
  {
    carrier: "Medicare",
    prefix: "1EG4",
    color: "#1e3a8a",
    insurance_type: "Medicare",
    address: "7500 Security Blvd",
    city: "Baltimore",
    state: "MD",
    zip: "21244",
    phone: "1-800-633-4227",
    plans: ["Part B"],
  },
  {
    carrier: "Medicaid",
    prefix: "MCD",
    color: "#6b21a8",
    insurance_type: "Medicaid",
    address: "7500 Security Blvd",
    city: "Baltimore",
    state: "MD",
    zip: "21244",
    phone: "1-877-267-2323",
    plans: ["State plan"],
  },
];
