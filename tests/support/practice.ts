// A practice with a patient, a physician and a staff member, and a client that calls the API for it.
import { expect } from "vitest";
import { type ApiResponse, type Basics, call, seedBasics, seedPatient, tokenFor } from "./api";
import { seedUser } from "./sample-records";

/** One practice, and calls by a client of its organization (or with another token). */
export interface PracticeClient {
  basics: Basics;
  token: string;
  practice: number;
  physician: number;
  patient: number;
  user: number;
  get(path: string, as?: string): Promise<ApiResponse>;
  post(path: string, body: object, as?: string): Promise<ApiResponse>;
  patch(path: string, body: object, as?: string): Promise<ApiResponse>;
  /** Creates a record and returns its id. */
  create(path: string, body: object): Promise<number>;
}

/** Seeds the practice; call it in `beforeAll`. */
export async function seedPracticeClient(): Promise<PracticeClient> {
  const basics = await seedBasics();
  const practice = basics.enabled;
  const physician = basics.physicians.enabled;
  const token = await tokenFor({ organizationId: basics.organization, practices: [practice] });
  const patient = await seedPatient(practice, physician);
  const user = await seedUser(practice);
  const send =
    (method: string) =>
    (path: string, body: object, as = token) =>
      call(method, path, { token: as, body });
  const post = send("POST");
  return {
    basics,
    token,
    practice,
    physician,
    patient,
    user,
    post,
    get: (path, as = token) => call("GET", path, { token: as }),
    patch: send("PATCH"),
    async create(path, body) {
      const response = await post(path, body);
      const created = [path, 201, expect.objectContaining({ id: expect.any(Number) })];
      expect([path, response.status, response.body]).toEqual(created);
      return response.body.id;
    },
  };
}
