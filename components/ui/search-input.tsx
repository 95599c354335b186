"use client";

import { Search } from "lucide-react";
import { useEffect, useEffectEvent, useRef } from "react";
import { classNames } from "./class-names";
import { Input } from "./controls";
import { inputClass } from "./field";

interface SearchInputProps {
  label: string;
  placeholder: string;
  /** What is searched for now, as the URL has it. */
  value: string;
  /** With what was typed, without spaces around it. */
  onSearch: (text: string) => void;
  className?: string;
}

/** A search that runs while one types. It follows the URL where that is changed elsewhere: a chip lifted, Back. */
export function SearchInput({ label, placeholder, value, onSearch, className }: SearchInputProps) {
  const input = useRef<HTMLInputElement>(null);
  const known = useRef(value);
  const search = (text: string) => {
    known.current = text;
    onSearch(text);
  };
  const takeUp = useEffectEvent(() => {
    const typed = input.current?.value.trim() ?? "";
    if (typed !== known.current) search(typed);
  });
  // What was typed before the page was ready was heard by nobody.
  useEffect(() => takeUp(), []);
  useEffect(() => {
    if (value === known.current || !input.current) return;
    known.current = value;
    input.current.value = value;
  }, [value]);
  return (
    <div className={classNames("relative", className)}>
      <Search aria-hidden className="text-soft absolute top-2 left-2.5 size-4" />
      <Input
        ref={input}
        type="search"
        aria-label={label}
        placeholder={placeholder}
        defaultValue={value}
        maxLength={200}
        onChange={(event) => search(event.target.value.trim())}
        className={`${inputClass} pl-8`}
      />
    </div>
  );
}
