"use client";

import { useEffect } from "react";
import { PageHeader } from "@/components/ui/page-header";
import { Day } from "@/components/ui/time";
import { helpPage, newsPage as text } from "./messages/help";
import { news } from "./messages/news";
import { markNewsSeen } from "./use-news";

/** Shows what's new, and removes the dot of the help menu. */
export function NewsList({ practice, isAdmin }: { practice: number; isAdmin: boolean }) {
  useEffect(() => markNewsSeen(news, isAdmin), [isAdmin]);
  return (
    <>
      <PageHeader
        trail={[{ label: helpPage.title, href: `/practices/${practice}/help` }]}
        title={text.title}
        meta={text.lead}
      />
      <ul className="border-line bg-raised max-w-[880px] rounded-md border px-4 py-1">
        {news
          .filter(({ isForAdmins }) => isAdmin || !isForAdmins)
          .map(({ date, title, detail, isForAdmins }) => (
            <li
              key={title}
              className="border-line grid gap-x-6 border-b py-2.5 last:border-0 sm:grid-cols-[8rem_minmax(0,1fr)]"
            >
              <span className="text-soft">
                <Day value={date} />
              </span>
              <div>
                <h2 className="font-medium">{title}</h2>
                <p>{detail}</p>
                {isForAdmins && <p className="text-soft text-sm">{text.forAdmins}</p>}
              </div>
            </li>
          ))}
      </ul>
    </>
  );
}
