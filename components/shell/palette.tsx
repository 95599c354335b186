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
import { FoundPatientRow } from "./found-patient-row";
import { palette as words } from "./messages/palette";
import { paletteBox } from "./messages/search";
import { userMenu } from "./messages/shell";
import { actionLinks, pageLinks } from "./palette-entries";
import { focusAtEnd, PALETTE, type PaletteProps } from "./palette-fallback";
import { usePatientSearch } from "./use-patient-search";
import { ROW_HEIGHTS, THEMES, useSignOut } from "./user-menu";

const ITEM =
  "data-[selected=true]:bg-accent-soft flex min-h-9 cursor-pointer items-center justify-between gap-3 rounded-md px-2";
const MIN_SEARCH_LENGTH = 2;

interface PaletteAction {
  label: string;
  run: () => void;
}

/** Finds patients as the list of patients does, and pages and actions by name. */
export function Palette({ base, role, practices, text, setText, onClose, onShortcuts }: PaletteProps) {
  const search = text.trim();
  const router = useRouter();
  const pathname = usePathname();
  useEscape(onClose);
  const settings = useSettingActions(onClose, onShortcuts);
  const patients = usePatientSearch(base, search.length < MIN_SEARCH_LENGTH ? "" : search);
  const [marked, setMarked] = useState("");
  const bestId = patients.found[0]?.id;
  // Patients arrive after pages and actions but are listed above them: mark the new first entry for Enter.
  useEffect(() => {
    if (bestId !== undefined) setMarked(`patient ${bestId}`);
  }, [bestId]);
  const open = (path: string) => () => {
    onClose();
    leaveTo(() => router.push(path));
  };
  const matches = ({ label }: { label: string }) => label.toLowerCase().includes(search.toLowerCase());
  const pages = pageLinks(base, role, practices).filter(matches);
  const links = actionLinks(base, role, pathname).map(({ label, path }) => ({ label, run: open(path) }));
  const actions: PaletteAction[] = [...links, ...settings].filter(matches);
  return (
    <Radix.Root open onOpenChange={(isOpen) => !isOpen && onClose()}>
      <Radix.Portal>
        <Radix.Overlay className="fixed inset-0 z-40 bg-black/45" />
        <Radix.Content onCloseAutoFocus={keepFocus} aria-describedby={undefined} className={PALETTE.box}>
          <Radix.Title className="sr-only">{paletteBox.title}</Radix.Title>
          <Command shouldFilter={false} label={paletteBox.title} value={marked} onValueChange={setMarked}>
            <Command.Input
              ref={focusAtEnd}
              value={text}
              onValueChange={setText}
              placeholder={PALETTE.placeholder}
              className={PALETTE.input}
            />
            <p role="status" className={patients.status ? "text-soft px-3 pt-2" : "sr-only"}>
              {patients.status}
            </p>
            <Command.List className="max-h-[60dvh] overflow-y-auto p-1">
              {!patients.status && (
                <Command.Empty className="text-soft px-2 py-6 text-center">
                  {search.length < MIN_SEARCH_LENGTH ? words.short : words.nothing}
                </Command.Empty>
              )}
              <Group heading={words.patients}>
                {patients.found.map((patient) => (
                  <Command.Item
                    key={patient.id}
                    value={`patient ${patient.id}`}
                    onSelect={open(`${base}/patients/${patient.id}`)}
                    className={ITEM}
                  >
                    <FoundPatientRow patient={patient} />
                  </Command.Item>
                ))}
              </Group>
              <Group heading={words.pages}>
                {pages.map(({ label, path }) => (
                  <Command.Item key={label} value={`page ${label}`} onSelect={open(path)} className={ITEM}>
                    {label}
                  </Command.Item>
                ))}
              </Group>
              <Group heading={words.actions}>
                {actions.map(({ label, run }) => (
                  <Command.Item key={label} value={`action ${label}`} onSelect={run} className={ITEM}>
                    {label}
                  </Command.Item>
                ))}
              </Group>
            </Command.List>
          </Command>
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  );
}

function Group({ heading, children }: { heading: string; children: readonly ReactNode[] }) {
  if (children.length === 0) return null;
  return <Command.Group heading={<p className="text-soft px-2 py-1 text-sm">{heading}</p>}>{children}</Command.Group>;
}

/** Returns the actions that change a setting in place, available on every page. */
function useSettingActions(onClose: () => void, onShortcuts: () => void): PaletteAction[] {
  const { setTheme } = useTheme();
  const [height, setHeight] = useRowHeight();
  const signOut = useSignOut();
  const closeAnd = (run: () => void) => () => {
    onClose();
    run();
  };
  return [
    ...THEMES.map(({ value, label }) => ({
      label: words.theme(label),
      run: closeAnd(() => setTheme(value)),
    })),
    ...ROW_HEIGHTS.filter(({ value }) => value !== height).map(({ value, label }) => ({
      label: words.rows(label),
      run: closeAnd(() => setHeight(value)),
    })),
    { label: words.shortcuts, run: onShortcuts },
    { label: userMenu.signOut, run: closeAnd(() => leaveTo(signOut)) },
  ];
}
