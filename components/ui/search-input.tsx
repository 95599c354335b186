"use client";

import { Search } from "lucide-react";
import { useEffect, useEffectEvent, useRef } from "react";
import { classNames } from "./class-names";
import { Input } from "./controls";
import { inputClass } from "./field";

interface SearchInputProps {
  label: string;
  placeholder: string;
  /** The current search, from the URL. */
  value: string;
  /** Called with the trimmed text. */
  onSearch: (text: string) => void;
  /** Whether `/` goes to this search box instead of the palette. At most one on a page. */
  isMain?: boolean;
  className?: string;
}

/** Renders a search box that searches while the user types. It follows the URL if that changes otherwise, for example on Back. */
export function SearchInput({ label, placeholder, value, onSearch, isMain, className }: SearchInputProps) {
  const input = useRef<HTMLInputElement>(null);
  const searched = useRef(value);
  const search = (text: string) => {
    searched.current = text;
    onSearch(text);
  };
  const searchEarlyInput = useEffectEvent(() => {
    const typed = input.current?.value.trim() ?? "";
    if (typed !== searched.current) search(typed);
  });
  // Text typed before hydration has not triggered a search yet.
  useEffect(() => searchEarlyInput(), []);
  useEffect(() => {
    if (value === searched.current || !input.current) return;
    searched.current = value;
    input.current.value = value;
  }, [value]);
  return (
    <div className={classNames("relative", className)}>
      <Search aria-hidden className="text-soft absolute top-2 left-2.5 size-4" />
      <Input
        ref={input}
        type="search"
        aria-label={label}
        aria-keyshortcuts={isMain ? "/" : undefined}
        placeholder={placeholder}
        defaultValue={value}
        maxLength={200}
        onChange={(event) => search(event.target.value.trim())}
        className={`${inputClass} pl-8`}
      />
    </div>
  );
}
