// Draws insurance cards for the demo, marked as not valid.
import { createRequire } from "node:module";
import path from "node:path";
import sharp from "sharp";
import type { ProcessedImage } from "@/lib/platform/storage/process-image";
import type { DemoCompany } from "./practices";

const WIDTH = 860;
const HEIGHT = 540;
// The font is bundled, because many servers have none.
const FONTS = path.dirname(createRequire(import.meta.url).resolve("@expo-google-fonts/noto-sans/package.json"));

export interface CardFront {
  company: DemoCompany;
  member: string;
  memberId: string;
  group: string;
  plan: string;
  copay: string;
}

/** Draws the front of a card as a JPEG. */
export async function drawFront(card: CardFront): Promise<ProcessedImage> {
  const { company, member, memberId, group, plan, copay } = card;
  return draw(company.color, [
    { text: company.carrier, size: 40, color: "#ffffff", bold: true, left: 40, top: 42 },
    {
      text: `MEMBER\n<b>${escapeMarkup(member)}</b>\n\nMEMBER ID\n<b>${escapeMarkup(memberId)}</b>`,
      size: 26,
      color: "#0f172a",
      left: 40,
      top: 160,
      markup: true,
    },
    {
      text: `PLAN  <b>${escapeMarkup(plan)}</b>\nGROUP  <b>${escapeMarkup(group)}</b>\nCOPAY  <b>$${escapeMarkup(copay)}</b>`,
      size: 24,
      color: "#334155",
      left: 500,
      top: 160,
      markup: true,
    },
  ]);
}

const backs = new Map<string, Promise<ProcessedImage>>();

/** Draws the back of a payer's cards as a JPEG, once per payer. */
export function drawBack(company: DemoCompany): Promise<ProcessedImage> {
  const drawn = backs.get(company.carrier) ?? drawBackOf(company);
  backs.set(company.carrier, drawn);
  return drawn;
}

async function drawBackOf(company: DemoCompany): Promise<ProcessedImage> {
  const { carrier, address, city, state, zip, phone } = company;
  return draw(company.color, [
    { text: "Claims and questions", size: 34, color: "#ffffff", bold: true, left: 40, top: 44 },
    {
      text: `<b>${escapeMarkup(carrier)}</b>\n${escapeMarkup(address)}\n${escapeMarkup(city)}, ${state} ${zip}\n\nMember services\n<b>${phone}</b>`,
      size: 26,
      color: "#0f172a",
      left: 40,
      top: 160,
      markup: true,
    },
  ]);
}

interface Text {
  text: string;
  size: number;
  color: string;
  bold?: boolean;
  markup?: boolean;
  left: number;
  top: number;
}

async function draw(color: string, texts: readonly Text[]): Promise<ProcessedImage> {
  const shape = `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}">
    <rect width="${WIDTH}" height="${HEIGHT}" fill="#f8fafc"/><rect width="${WIDTH}" height="120" fill="${color}"/>
    <circle cx="780" cy="60" r="32" fill="none" stroke="#ffffff" stroke-width="7"/>
    <rect y="470" width="${WIDTH}" height="4" fill="${color}"/></svg>`;
  const footer = { text: "Drawn for a demonstration. Not valid for coverage.", size: 16, color: "#64748b" };
  const layers = [...texts, { ...footer, left: 40, top: 492 }].map((text: Text) => ({
    input: {
      text: {
        text: `<span foreground="${text.color}">${text.markup ? text.text : escapeMarkup(text.text)}</span>`,
        font: `Noto Sans ${text.bold ? "Bold " : ""}${text.size}`,
        fontfile: path.join(FONTS, text.bold ? "700Bold/NotoSans_700Bold.ttf" : "400Regular/NotoSans_400Regular.ttf"),
        rgba: true,
        dpi: 72,
        spacing: 10,
      },
    },
    left: text.left,
    top: text.top,
  }));
  const content = await sharp(Buffer.from(shape)).composite(layers).jpeg({ quality: 80 }).toBuffer();
  return { content, content_type: "image/jpeg", width: WIDTH, height: HEIGHT };
}

function escapeMarkup(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}
