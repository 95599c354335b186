// The process that writes C-CDA documents beside the server: lib/platform/jobs/make-document.ts starts it.
import { documentOf } from "@/lib/api/documents/ccda/document";
import type { CcdaTask } from "@/lib/api/documents/ccda/schema";
import { serveDocuments } from "@/lib/platform/jobs/make-document";

serveDocuments<CcdaTask>(({ chart, making }) => documentOf(chart, making));
