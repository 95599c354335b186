// The process that writes C-CDA documents beside the server: lib/processes/make-document.ts starts it.
import { documentOf } from "@/lib/ccda/rules/document";
import type { CcdaTask } from "@/lib/ccda/schema";
import { serveDocuments } from "@/lib/processes/make-document";

serveDocuments<CcdaTask>(({ chart, making }) => documentOf(chart, making));
