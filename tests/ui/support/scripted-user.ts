// A user who works with the mouse and the keyboard at a person's pace, and counts what a task takes.
import { expect, type FileChooser, type Locator, type Page } from "@playwright/test";

/** With UI_PACE=1, what people need: to point and click, and to press a key (Card, Moran and Newell, 1980). Otherwise nothing. */
const PACE = process.env.UI_PACE ? { clickMs: 1_200, keyMs: 200 } : { clickMs: 0, keyMs: 0 };

export interface TaskCost {
  /** Clicks and keys that act, such as Enter, until the page or form is open where the task is done. */
  toPlace: number;
  /** All clicks and keys that act. Typing is not counted. */
  clicks: number;
  /** From the landing page to the result, with the time to point and type, but not to read and think. */
  seconds: number;
}

export class ScriptedUser {
  #clicks = 0;
  #toPlace: number | undefined;
  #start = 0;

  constructor(readonly page: Page) {}

  /** Opens the landing page, from where the task is measured. */
  async land(practice: number): Promise<void> {
    await this.page.goto(`/practices/${practice}`);
    await expect(this.page.getByRole("main").getByRole("heading", { level: 1 })).toBeVisible();
    await this.page.waitForLoadState("networkidle");
    this.#clicks = 0;
    this.#toPlace = undefined;
    this.#start = Date.now();
  }

  async click(target: Locator): Promise<void> {
    await this.#act(this.page, PACE.clickMs);
    await target.click();
  }

  /** Chooses in a list, which takes one click to open it and one to choose. */
  async choose(list: Locator, value: string | { label: string }): Promise<void> {
    await this.#act(this.page, 2 * PACE.clickMs);
    this.#clicks += 1;
    await list.selectOption(value);
  }

  /** Presses a key that acts. */
  async press(key: string): Promise<void> {
    await this.#act(this.page, PACE.keyMs);
    await this.page.keyboard.press(key);
  }

  /** Opens the browser's file dialog with a click, and chooses a file with another. */
  async pickFile(button: Locator, file: Parameters<FileChooser["setFiles"]>[0]): Promise<void> {
    const chooser = this.page.waitForEvent("filechooser");
    await this.click(button);
    await this.#act(this.page, PACE.clickMs);
    await (await chooser).setFiles(file);
  }

  /** Types where the focus is. */
  async type(text: string): Promise<void> {
    await this.page.keyboard.type(text, { delay: PACE.keyMs });
  }

  /** Replaces the text where the focus is. */
  async replaceText(text: string): Promise<void> {
    await this.page.keyboard.press("ControlOrMeta+A");
    if (text === "") await this.page.keyboard.press("Delete");
    else await this.type(text);
  }

  /** Replaces the content of a field. Moving to it counts as a click. */
  async fill(field: Locator, text: string): Promise<void> {
    await this.click(field);
    await this.replaceText(text);
  }

  /** Says that the page or form is open where the task is done. */
  arrived(): void {
    this.#toPlace ??= this.#clicks;
  }

  cost(): TaskCost {
    return {
      toPlace: this.#toPlace ?? this.#clicks,
      clicks: this.#clicks,
      seconds: Math.round((Date.now() - this.#start) / 100) / 10,
    };
  }

  async #act(page: Page, pauseMs: number): Promise<void> {
    this.#clicks += 1;
    if (pauseMs > 0) await page.waitForTimeout(pauseMs);
  }
}
