// The process that writes C-CDA documents beside the server: lib/platform/jobs/make-document.ts starts it.
import { renderCcda } from "@/lib/api/documents/ccda/render";
import type { CcdaInput } from "@/lib/api/documents/ccda/schema";
import { serveDocuments } from "@/lib/platform/jobs/make-document";

serveDocuments<CcdaInput>(renderCcda);
