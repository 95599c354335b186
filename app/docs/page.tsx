import { GuideCards } from "@/components/docs/guide-list";
import { docsPage as text } from "@/components/docs/messages";
import { buttonClass } from "@/components/ui/button-class";
import { GUIDES } from "@/lib/api/guides/queries";

export default function Docs() {
  return (
    <main id="main" className="mx-auto w-full max-w-[1100px] px-4 py-8">
      <h1 className="text-lg font-semibold">{text.title}</h1>
      <p className="text-soft mt-1 max-w-[72ch]">{text.lead}</p>
      <div className="mt-4 flex flex-wrap gap-2">
        <a href="/docs/reference" className={buttonClass({ kind: "primary" })}>
          {text.openReference}
        </a>
        <a href="/api/2.0/openapi.json" className={buttonClass({})}>
          {text.document}
        </a>
      </div>
      <h2 className="mt-8 mb-3 font-semibold">{text.guides}</h2>
      <GuideCards guides={GUIDES} />
    </main>
  );
}
