"use client";

import { useRouter } from "next/navigation";
import { type KeyboardEvent, useId, useState } from "react";
import { FoundPatientRow } from "@/components/shell/found-patient-row";
import { usePatientSearch } from "@/components/shell/use-patient-search";
import { classNames } from "@/components/ui/class-names";
import { leaveTo } from "@/components/ui/leave-guard";
import { SearchInput } from "@/components/ui/search-input";
import { patientLookup as text } from "./messages/front-desk";

const MIN_SEARCH_LENGTH = 2;

/** Finds a patient while the user types. Arrow keys choose, Enter opens. The last choice opens the list with the same search. */
export function PatientLookup({ practice }: { practice: number }) {
  const base = `/practices/${practice}`;
  const router = useRouter();
  const listId = useId();
  const [search, setSearch] = useState("");
  const [marked, setMarked] = useState(0);
  const isSearching = search.length >= MIN_SEARCH_LENGTH;
  const { found, count, status } = usePatientSearch(base, isSearching ? search : "");
  const choices = [
    ...found.map((patient) => ({
      path: `${base}/patients/${patient.id}`,
      content: <FoundPatientRow patient={patient} />,
    })),
    {
      path: `${base}/patients?${new URLSearchParams({ search })}`,
      content: <span className="text-soft truncate">{text.showAll}</span>,
    },
  ];
  // Before the results arrive, Enter opens the list with the same search.
  const chosen = choices[Math.min(marked, choices.length - 1)];
  const open = (path: string) => leaveTo(() => router.push(path));
  const onKeyDown = (event: KeyboardEvent) => {
    if (!isSearching || event.nativeEvent.isComposing) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) setMarked((at) => Math.max(0, Math.min(choices.length - 1, at + step)));
    else if (event.key === "Enter" && chosen) open(chosen.path);
    else return;
    event.preventDefault();
  };
  const optionId = (at: number) => `${listId}-${at}`;
  const result = text.found(count);
  const label = isSearching && !status ? result : status;
  return (
    <search aria-label={text.region} className="screen-only relative mb-4 block max-w-xl">
      <SearchInput
        label={text.label}
        placeholder={text.placeholder}
        value=""
        isMain
        type="text"
        role="combobox"
        aria-autocomplete="list"
        aria-expanded={isSearching}
        aria-controls={isSearching ? listId : undefined}
        aria-activedescendant={isSearching && chosen ? optionId(choices.indexOf(chosen)) : undefined}
        autoComplete="off"
        onKeyDown={onKeyDown}
        onSearch={(typed) => {
          setSearch(typed);
          setMarked(0);
        }}
      />
      <p role="status" className="sr-only">
        {label}
      </p>
      {isSearching && (
        <div className="border-line bg-raised mt-1 rounded-md border p-1">
          {label && (
            <p aria-hidden className="text-soft px-2 py-1 text-sm">
              {label}
            </p>
          )}
          <div role="listbox" id={listId} aria-label={text.list}>
            {choices.map(({ path, content }, at) => (
              // biome-ignore lint/a11y/useKeyWithClickEvents lint/a11y/useFocusableInteractive: the input keeps the focus and handles the keys.
              <div
                key={path}
                id={optionId(at)}
                role="option"
                aria-selected={choices[at] === chosen}
                onPointerMove={() => setMarked(at)}
                onMouseDown={(event) => event.preventDefault()}
                onClick={() => open(path)}
                className={classNames(
                  "flex min-h-9 cursor-pointer items-center rounded-md px-2",
                  choices[at] === chosen && "bg-accent-soft",
                )}
              >
                {content}
              </div>
            ))}
          </div>
        </div>
      )}
    </search>
  );
}
