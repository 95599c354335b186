// The process that draws papers beside the server: lib/platform/jobs/make-document.ts starts it.
import { renderPdf } from "@/lib/api/documents/pdf/render";
import type { PrintableDocument } from "@/lib/api/documents/pdf/schema";
import { serveDocuments } from "@/lib/platform/jobs/make-document";

serveDocuments<PrintableDocument>(renderPdf);
