"use client";

import { Command } from "cmdk";
import { usePathname, useRouter } from "next/navigation";
import { useTheme } from "next-themes";
import { Dialog as Radix } from "radix-ui";
import { type ReactNode, useEffect, useState } from "react";
import { keepFocus } from "@/components/ui/focus-return";
import { leaveTo } from "@/components/ui/leave-guard";
import { useRowHeight } from "@/components/ui/row-height";
import { useEscape } from "@/components/ui/use-escape";
import { pagesOf, waysToAct } from "./palette-entries";
import { focusAtEnd, PALETTE, type PaletteProps } from "./palette-waiting";
import { usePatients } from "./use-patients";
import { THEMES, useSignOut } from "./user-menu";

const ITEM =
  "data-[selected=true]:bg-accent-soft flex min-h-9 cursor-pointer items-center justify-between gap-3 rounded-md px-2";
const SHORTEST = 2;

interface Line {
  label: string;
  act: () => void;
}

/** Type a name, a date of birth, a member id, a page's or an action's name; Enter goes there or does it. */
export function Palette({ base, role, practices, text, setText, onClose, onShortcuts }: PaletteProps) {
  const search = text.trim();
  const router = useRouter();
  const pathname = usePathname();
  useEscape(onClose);
  const here = useActs(onClose, onShortcuts);
  const patients = usePatients(base, search.length < SHORTEST ? "" : search);
  const [marked, setMarked] = useState("");
  const best = patients.found[0]?.id;
  // Patients come after pages and actions: Enter is for the first line, whatever was there before.
  useEffect(() => {
    if (best !== undefined) setMarked(`patient ${best}`);
  }, [best]);
  const go = (path: string) => () => {
    onClose();
    leaveTo(() => router.push(path));
  };
  const fits = ({ label }: { label: string }) => label.toLowerCase().includes(search.toLowerCase());
  const pages = pagesOf(base, role, practices).filter(fits);
  const acts: Line[] = [
    ...waysToAct(base, role, pathname).map(({ label, path }) => ({ label, act: go(path) })),
    ...here,
  ].filter(fits);
  return (
    <Radix.Root open onOpenChange={(open) => !open && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-black/45" />
        <Radix.Content onCloseAutoFocus={keepFocus} aria-describedby={undefined} className={PALETTE.box}>
          <Radix.Title className="sr-only">Go to</Radix.Title>
          <Command shouldFilter={false} label="Go to" value={marked} onValueChange={setMarked}>
            <Command.Input
              ref={focusAtEnd}
              value={text}
              onValueChange={setText}
              placeholder={PALETTE.placeholder}
              className={PALETTE.input}
            />
            <p role="status" className={patients.words ? "text-soft px-3 pt-2" : "sr-only"}>
              {patients.words}
            </p>
            <Command.List className="max-h-[60dvh] overflow-y-auto p-1">
              {!patients.words && (
                <Command.Empty className="text-soft px-2 py-6 text-center">
                  {search.length < SHORTEST ? "Type at least two letters." : "Nothing by this name here."}
                </Command.Empty>
              )}
              {patients.found.length > 0 && (
                <Group heading="Patients">
                  {patients.found.map(({ id, first_name, last_name, dob }) => (
                    <Command.Item
                      key={id}
                      value={`patient ${id}`}
                      onSelect={go(`${base}/patients/${id}`)}
                      className={ITEM}
                    >
                      <span className="truncate">
                        {last_name}, {first_name}
                      </span>
                      <span className="text-soft font-mono">{dob}</span>
                    </Command.Item>
                  ))}
                </Group>
              )}
              {pages.length > 0 && (
                <Group heading="Pages">
                  {pages.map(({ label, path }) => (
                    <Command.Item key={label} value={`page ${label}`} onSelect={go(path)} className={ITEM}>
                      {label}
                    </Command.Item>
                  ))}
                </Group>
              )}
              {acts.length > 0 && (
                <Group heading="Actions">
                  {acts.map(({ label, act }) => (
                    <Command.Item key={label} value={`action ${label}`} onSelect={act} className={ITEM}>
                      {label}
                    </Command.Item>
                  ))}
                </Group>
              )}
            </Command.List>
          </Command>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

function Group({ heading, children }: { heading: string; children: ReactNode }) {
  return <Command.Group heading={<p className="text-soft px-2 py-1 text-sm">{heading}</p>}>{children}</Command.Group>;
}

/** What is done in place, on whichever page. */
function useActs(onClose: () => void, onShortcuts: () => void): Line[] {
  const { setTheme } = useTheme();
  const [height, setHeight] = useRowHeight();
  const signOut = useSignOut();
  const then = (act: () => void) => () => {
    onClose();
    act();
  };
  const other = height === "dense" ? "comfortable" : "dense";
  return [
    ...THEMES.map(({ theme, label }) => ({
      label: `Theme: ${label.toLowerCase()}`,
      act: then(() => setTheme(theme)),
    })),
    { label: other === "dense" ? "Dense rows" : "Comfortable rows", act: then(() => setHeight(other)) },
    { label: "Show keyboard shortcuts", act: onShortcuts },
    { label: "Sign out", act: then(() => leaveTo(signOut)) },
  ];
}
