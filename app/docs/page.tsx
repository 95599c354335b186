import { GuideCards } from "@/components/docs/guide-list";
import { buttonClass } from "@/components/ui/button-class";
import { GUIDES } from "@/lib/api/guides/queries";

export default function Docs() {
  return (
    <main id="main" className="mx-auto w-full max-w-[1100px] px-4 py-8">
      <h1 className="text-lg font-semibold">API documentation</h1>
      <p className="text-soft mt-1 max-w-[72ch]">
        A clinical practice API with versioned insurance policies, and guides for migrating to them from legacy
        insurance. You can copy and run the calls in the guides; the project's tests run every one of them.
      </p>
      <div className="mt-4 flex flex-wrap gap-2">
        <a href="/docs/reference" className={buttonClass({ kind: "primary" })}>
          Open the reference
        </a>
        <a href="/api/2.0/openapi.json" className={buttonClass({})}>
          OpenAPI 3.1 document
        </a>
      </div>
      <h2 className="mt-8 mb-3 font-semibold">Guides</h2>
      <GuideCards guides={GUIDES} />
    </main>
  );
}
