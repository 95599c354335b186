// Renders PDF documents in a separate process, which lib/platform/jobs/render-document.ts starts.
import { renderPdf } from "@/lib/api/documents/pdf/render";
import type { PrintableDocument } from "@/lib/api/documents/pdf/schema";
import { serveDocuments } from "@/lib/platform/jobs/render-document";

serveDocuments<PrintableDocument>(renderPdf);
