// Requests a token, creates a patient, a policy and a card image, reads the legacy record and lists the events.
import createClient, { type Client } from "openapi-fetch";
import type { paths } from "./crosswalk-api";

const {
  CROSSWALK_URL: baseUrl = "http://localhost:3000",
  ID = "",
  SECRET = "",
  OTHER_ID = "",
  OTHER_SECRET = "",
} = process.env;
const PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

/** Returns the data of a response, or throws its error. */
function unwrap<T>({ data, error }: { data?: T; error?: unknown }): T {
  if (data === undefined) throw new Error(JSON.stringify(error));
  return data;
}

/** Requests a token and returns an API client that uses it. */
async function connect(client_id: string, client_secret: string): Promise<Client<paths>> {
  const api = createClient<paths>({ baseUrl });
  const token = unwrap(
    await api.POST("/api/2.0/oauth2/token", {
      body: { grant_type: "client_credentials", client_id, client_secret },
      headers: { "Content-Type": "application/x-www-form-urlencoded" },
    }),
  );
  api.use({ onRequest: ({ request }) => request.headers.set("Authorization", `Bearer ${token.access_token}`) });
  return api;
}

const listener = await connect(OTHER_ID, OTHER_SECRET);
const target = `https://hooks.example.org/crosswalk/${Date.now()}`;
const subscription = unwrap(await listener.POST("/api/2.0/subscriptions", { body: { resource: "patients", target } }));

const api = await connect(ID, SECRET);
const [physician] = unwrap(await api.GET("/api/2.0/physicians", { params: { query: { limit: 1 } } })).results;
if (!physician) throw new Error("This practice has no physician.");
const person = { first_name: "Maria", last_name: "Lopez", dob: "1980-05-17" };
const patient = unwrap(
  await api.POST("/api/2.0/patients", {
    // Without this, the second run would get 409 with the ID of the first run's patient.
    params: { query: { allow_duplicate: true } },
    body: { ...person, sex: "Female", caregiver_practice: physician.practice, primary_physician: physician.id },
  }),
);
// Only a dry run returns effects instead of the patient.
if (!("id" in patient)) throw new Error("Nothing was saved.");
const path = { id: patient.id };
console.log(`patient ${patient.first_name} ${patient.last_name}`);

const policy = unwrap(
  await api.POST("/api/2.0/patients/{id}/policies", {
    params: { path, header: { "Idempotency-Key": `first-policy-${patient.id}` } },
    body: {
      patient_first_name: person.first_name,
      patient_last_name: person.last_name,
      patient_dob: person.dob,
      rank: 1,
      carrier: "Acme Health",
      member_id: "A1",
    },
  }),
);
if (!("id" in policy)) throw new Error("Nothing was saved.");
console.log(`policy with rank ${policy.rank}, version ${policy.version}`);

const card = unwrap(
  await api.POST("/api/2.0/patients/{id}/policies/{policy_id}/card-images", {
    params: { path: { ...path, policy_id: policy.id } },
    body: { image: { base64_content: PIXEL, original_filename: "front.png" }, image_rank: 1 },
  }),
);
if ("url" in card) console.log(`card image ${card.image_rank}, ${card.content_type}`);

const legacy = unwrap(await api.GET("/api/2.0/patients/{id}", { params: { path } }));
for (const { rank, carrier, member_id } of legacy.insurances ?? [])
  console.log(`legacy ${rank}: ${carrier} ${member_id}`);

const events = unwrap(
  await listener.GET("/api/2.0/published_events", {
    params: { query: { resource: "patients", resource_id: patient.id, order_by: "event_id" } },
  }),
);
for (const event of events.results) console.log(`event ${event.event_type} ${event.resource}`);

await listener.DELETE("/api/2.0/subscriptions/{id}", { params: { path: { id: subscription.id } } });
