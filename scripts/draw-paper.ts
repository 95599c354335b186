// The process that draws papers beside the server: lib/processes/make-document.ts starts it.
import { drawPaper } from "@/lib/printing/rules/paper";
import type { Paper } from "@/lib/printing/schema";
import { serveDocuments } from "@/lib/processes/make-document";

serveDocuments<Paper>(drawPaper);
