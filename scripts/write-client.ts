// Writes the types of an API client: scripts/client.mjs.
import fs from "node:fs";
import path from "node:path";
import { apiRoutes } from "@/generated/api-routes";
import { toOpenApiText } from "@/lib/api/openapi/document";

const file = path.resolve(process.argv[2] ?? "build/client/crosswalk-api.d.ts");
const { astToString, default: openapiTypescript } = await import("openapi-typescript");
const nodes = await openapiTypescript(toOpenApiText(apiRoutes).text, { alphabetize: false });
fs.mkdirSync(path.dirname(file), { recursive: true });
fs.writeFileSync(file, `// Made by npm run client from the description of the API.\n${astToString(nodes)}`);
console.log(`✓ ${path.relative(process.cwd(), file)}`);
