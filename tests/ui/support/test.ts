// The fixtures of browser tests: pages that fail a test on errors, and ways to sign in.
import { test as bare, expect, type Locator, type Page } from "@playwright/test";
import { accountOf, base } from "./demo";
import { type } from "./keyboard";

type Role = Parameters<typeof accountOf>[0];

interface Fixtures {
  /** Console messages that a test expects. One pattern, because Playwright reads a list of two as something else. */
  expectedErrors: RegExp;
}

const NOTHING = /(?!)/;

/** Messages of `next dev` itself: parts replaced by an edit, and a warning of React that only it has. */
const DEVELOPING = [/_next\/static\/chunks\//, /^Encountered a script tag/];

export const test = bare.extend<Fixtures>({
  // biome-ignore lint/correctness/noEmptyPattern: Playwright reads what a fixture wants from this pattern.
  baseURL: async ({}, use) => use(base()),
  // biome-ignore lint/correctness/noEmptyPattern: as above.
  expectedErrors: async ({}, use) => use(NOTHING),
  page: async ({ page, expectedErrors }, use) => {
    const errors: string[] = [];
    page.on("pageerror", (error) => errors.push(`uncaught: ${error.message}`));
    page.on("console", (message) => {
      if (message.type() === "error") errors.push(`${message.text()} (${message.location().url})`);
    });
    await use(page);
    // Requests that are in progress when a test ends fail with the page, in a handler that nothing awaits.
    await page.unrouteAll({ behavior: "ignoreErrors" });
    const known = process.env.UI_PATIENCE === "1" ? [expectedErrors] : [expectedErrors, ...DEVELOPING];
    const unexpected = errors.filter((line) => !known.some((pattern) => pattern.test(line)));
    expect(unexpected, "errors in the page, policy violations included").toEqual([]);
  },
});

/** Picks a file once the input is enabled: Playwright also gives it to a disabled input, where nothing reads it. */
export async function chooseFile(input: Locator, file: Parameters<Locator["setInputFiles"]>[0]): Promise<void> {
  await expect(input).toBeEnabled();
  await input.setInputFiles(file);
}

/** Fills in the form like a user. */
export async function signIn(page: Page, role: Role): Promise<void> {
  const { email, password } = accountOf(role);
  await page.goto("/sign-in");
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in" }).click();
  await page.waitForURL(/\/practices\/\d+/);
}

/** Fills in the form with keys only. */
export async function signInByKeyboard(page: Page, role: Role): Promise<void> {
  const { email, password } = accountOf(role);
  await page.goto("/sign-in");
  await type(page, page.getByLabel("Email address"), email);
  await type(page, page.getByLabel("Password"), password);
  await page.keyboard.press("Enter");
  await page.waitForURL(/\/practices\/\d+/);
}

type Cookies = Awaited<ReturnType<ReturnType<Page["context"]>["cookies"]>>;
/** One session for each role, created by the first test of this process that needs it. */
const sessions = new Map<Role, Cookies>();

/**
 * Signs in without the form, for tests that are not about signing in. Tests share a session: checking a password is
 * deliberately slow.
 *
 * @param alone creates a separate session, for a test that ends it
 */
export async function enterAs(page: Page, role: Role, { alone = false } = {}): Promise<void> {
  const shared = sessions.get(role);
  if (shared && !alone) return page.context().addCookies(shared);
  const { email, password } = accountOf(role);
  const { csrfToken } = await (await page.request.get("/api/auth/csrf")).json();
  const form = { email, password, csrfToken, json: "true", callbackUrl: "/" };
  const response = await page.request.post("/api/auth/callback/credentials", { form });
  expect(response.status()).toBe(200);
  if (!alone) sessions.set(role, await page.context().cookies());
}

/** Ends the session elsewhere: the browser still has its cookie, but the server does not accept it. */
export async function endSessionElsewhere(page: Page): Promise<void> {
  const cookies = await page.context().cookies();
  const browser = page.context().browser();
  const elsewhere = await browser?.newContext();
  if (!elsewhere) throw new Error("no browser");
  await elsewhere.addCookies(cookies);
  const { csrfToken } = await (await elsewhere.request.get(`${base()}/api/auth/csrf`)).json();
  await elsewhere.request.post(`${base()}/api/auth/signout`, { form: { csrfToken, json: "true" } });
  await elsewhere.close();
}

const PLACES = {
  h: /\/practices\/\d+$/,
  p: /\/patients/,
  e: /\/events/,
  s: /\/stream/,
  m: /\/migration/,
  a: /\/settings\/clients/,
  ",": /\/settings/,
} as const;

/** Navigates to a place with its shortcut. Home and Patients focus their search on arrival, and Escape leaves it. */
export async function goByKeys(page: Page, key: keyof typeof PLACES): Promise<void> {
  if (PLACES.h.test(page.url()) || /\/patients$/.test(page.url())) {
    await expect(page.locator("#main [aria-keyshortcuts='/']")).toBeFocused();
    await page.keyboard.press("Escape");
  }
  await page.keyboard.press("g");
  await page.keyboard.press(key);
  await page.waitForURL(PLACES[key]);
}
