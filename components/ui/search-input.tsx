"use client";

import { Search } from "lucide-react";
import { type ComponentProps, useEffect, useEffectEvent, useRef } from "react";
import { classNames } from "./class-names";
import { Input } from "./controls";
import { inputClass } from "./field";
import { useFocusOnArrival } from "./use-focus-on-arrival";

interface SearchInputProps extends Omit<ComponentProps<"input">, "value"> {
  label: string;
  placeholder: string;
  /** The current search, from the URL. */
  value: string;
  /** Called with the trimmed text. */
  onSearch: (text: string) => void;
  /** Whether it has the focus on arrival, and `/` goes to it instead of the palette. At most one on a page. */
  isMain?: boolean;
}

/** Renders a search box that searches while the user types. It follows the URL if that changes otherwise, for example on Back. */
export function SearchInput({ label, value, onSearch, isMain, className, onKeyDown, ...attributes }: SearchInputProps) {
  const input = useRef<HTMLInputElement>(null);
  const searched = useRef(value);
  const followed = useRef(value);
  const search = (text: string) => {
    searched.current = text;
    onSearch(text);
  };
  const searchEarlyInput = useEffectEvent(() => {
    const typed = input.current?.value.trim() ?? "";
    if (typed !== searched.current) search(typed);
  });
  /** Escape clears the text. Once it is empty, it leaves the input, so that the shortcuts of the page work. */
  const clearOrLeave = (box: HTMLInputElement) => {
    if (box.value === "") return box.blur();
    box.value = "";
    search("");
  };
  // Text typed before hydration has not triggered a search yet.
  useEffect(() => searchEarlyInput(), []);
  useEffect(() => {
    // The value of the first render is older than any text typed before hydration.
    const hasChanged = value !== followed.current;
    followed.current = value;
    if (!hasChanged || value === searched.current || !input.current) return;
    searched.current = value;
    input.current.value = value;
  }, [value]);
  useFocusOnArrival(input, isMain ?? false);
  return (
    <div className={classNames("relative", className)}>
      <Search aria-hidden className="text-soft absolute top-2 left-2.5 size-4" />
      <Input
        type="search"
        {...attributes}
        ref={input}
        aria-label={label}
        aria-keyshortcuts={isMain ? "/" : undefined}
        defaultValue={value}
        maxLength={200}
        onChange={(event) => search(event.target.value.trim())}
        onKeyDown={(event) => {
          onKeyDown?.(event);
          if (event.key === "Escape" && !event.nativeEvent.isComposing) clearOrLeave(event.currentTarget);
        }}
        className={`${inputClass} pl-8`}
      />
    </div>
  );
}
