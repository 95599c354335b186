"use client";

import { useQuery } from "@tanstack/react-query";
import { Command } from "cmdk";
import { useRouter } from "next/navigation";
import { Dialog as Radix } from "radix-ui";
import { useDeferredValue, useState } from "react";
import { staffCall } from "@/components/session/staff-call";
import { useFocusReturn } from "@/components/ui/focus-return";
import { leaveTo } from "@/components/ui/leave-guard";
import type { CommandMenuProps } from "./command-menu";
import { PLACES } from "./places";

interface Found {
  results: { id: number; first_name: string; last_name: string; dob: string }[];
}

const ITEM =
  "data-[selected=true]:bg-accent-soft flex min-h-9 cursor-pointer items-center justify-between gap-3 rounded-md px-2";

/** Type a name, a date of birth, a member id or a page's name; Enter goes there. */
export function Palette({ base, role, practices, onClose }: CommandMenuProps & { onClose: () => void }) {
  const [text, setText] = useState("");
  const search = useDeferredValue(text.trim());
  const router = useRouter();
  const focusReturn = useFocusReturn();
  const practice = base.split("/").at(-1);
  const { data } = useQuery({
    queryKey: ["palette", practice, search],
    queryFn: ({ signal }) =>
      staffCall<Found>(`practices/${practice}/patients?limit=8&search=${encodeURIComponent(search)}`, { signal }),
    enabled: search.length >= 2,
  });
  const go = (path: string) => {
    onClose();
    leaveTo(() => router.push(path));
  };
  const pages = [
    ...PLACES.map(({ label, path }) => ({ label, path: base + path })),
    ...(role === "admin"
      ? [
          { label: "Settings: members", path: `${base}/settings/members` },
          { label: "Settings: API clients", path: `${base}/settings/clients` },
          { label: "Settings: audit", path: `${base}/settings/audit` },
        ]
      : []),
    ...practices.map(({ id, name }) => ({ label: `Practice: ${name}`, path: `/practices/${id}` })),
  ].filter(({ label }) => label.toLowerCase().includes(search.toLowerCase()));
  return (
    <Radix.Root open onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-black/45" />
        <Radix.Content
          {...focusReturn}
          aria-describedby={undefined}
          className="bg-raised border-line fixed top-[12dvh] left-1/2 z-50 w-[calc(100vw-24px)] max-w-xl -translate-x-1/2 rounded-md border shadow-xl"
        >
          <Radix.Title className="sr-only">Go to</Radix.Title>
          <Command shouldFilter={false} label="Go to">
            <Command.Input
              value={text}
              onValueChange={setText}
              placeholder="Patient, date of birth, member id or page"
              className="border-line placeholder:text-soft h-11 w-full border-b bg-transparent px-3 outline-none"
            />
            <Command.List className="max-h-[60dvh] overflow-y-auto p-1">
              <Command.Empty className="text-soft px-2 py-6 text-center">
                {search.length < 2 ? "Type at least two letters." : "Nothing by this name here."}
              </Command.Empty>
              {search.length >= 2 && data && data.results.length > 0 && (
                <Command.Group heading={<p className="text-soft px-2 py-1 text-sm">Patients</p>}>
                  {data.results.map(({ id, first_name, last_name, dob }) => (
                    <Command.Item
                      key={id}
                      value={`patient ${id}`}
                      onSelect={() => go(`${base}/patients/${id}`)}
                      className={ITEM}
                    >
                      <span className="truncate">
                        {last_name}, {first_name}
                      </span>
                      <span className="text-soft font-mono">{dob}</span>
                    </Command.Item>
                  ))}
                </Command.Group>
              )}
              {pages.length > 0 && (
                <Command.Group heading={<p className="text-soft px-2 py-1 text-sm">Pages</p>}>
                  {pages.map(({ label, path }) => (
                    <Command.Item key={path} value={`page ${path}`} onSelect={() => go(path)} className={ITEM}>
                      {label}
                    </Command.Item>
                  ))}
                </Command.Group>
              )}
            </Command.List>
          </Command>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}
