// The process that draws papers beside the server: lib/platform/jobs/make-document.ts starts it.
import { drawPaper } from "@/lib/api/documents/pdf/paper";
import type { Paper } from "@/lib/api/documents/pdf/schema";
import { serveDocuments } from "@/lib/platform/jobs/make-document";

serveDocuments<Paper>(drawPaper);
