import { PageHeader } from "@/components/ui/page-header";
import { meanings } from "./messages/glossary";
import { helpPage, glossaryPage as text } from "./messages/help";
import { type TermName, terms } from "./messages/terms";

/** Shows the definitions of all terms. */
export function Glossary({ practice }: { practice: number }) {
  return (
    <>
      <PageHeader
        trail={[{ label: helpPage.title, href: `/practices/${practice}/help` }]}
        title={text.title}
        meta={text.lead}
      />
      <dl className="border-line bg-raised max-w-[880px] rounded-md border px-4 py-1">
        {Object.entries(terms).map(([name, term]) => (
          <div
            key={name}
            id={name}
            className="border-line grid scroll-mt-16 gap-x-6 border-b py-2.5 last:border-0 sm:grid-cols-[14rem_minmax(0,1fr)]"
          >
            <dt className="font-medium">{term}</dt>
            <dd>{meanings[name as TermName]}</dd>
          </div>
        ))}
      </dl>
    </>
  );
}
