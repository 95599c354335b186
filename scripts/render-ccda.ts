// Renders C-CDA documents in a separate process, which lib/platform/jobs/render-document.ts starts.
import { renderCcda } from "@/lib/api/documents/ccda/render";
import type { CcdaInput } from "@/lib/api/documents/ccda/schema";
import { serveDocuments } from "@/lib/platform/jobs/render-document";

serveDocuments<CcdaInput>(renderCcda);
