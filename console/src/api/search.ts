import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import { useSearchParams } from 'wouter';

export interface SearchTerm {
  /** What stands in the field. */
  readonly typed: string;
  /** What is searched for; empty for everything. */
  readonly term: string;
  readonly type: (text: string) => void;
}

const pauseMs = 250;

/** What the address searches for: `?search=rossi`. What is typed gets there after a pause, and begins at the first page. */
export function useSearchTerm(): SearchTerm {
  const [search, setSearch] = useSearchParams();
  const term = search.get('search') ?? '';
  const [typed, setTyped] = useState(term);
  const written = useRef(term);

  const write = useDebouncedCallback((text: string) => {
    written.current = text;
    setSearch(
      (before) => {
        const after = new URLSearchParams(before);
        after.delete('page');
        if (text === '') after.delete('search');
        else after.set('search', text);
        return after;
      },
      { replace: true },
    );
  }, pauseMs);

  // Whoever goes back finds what was searched for there.
  useEffect(() => {
    if (term === written.current) return;
    written.current = term;
    setTyped(term);
  }, [term]);

  const type = (text: string) => {
    setTyped(text);
    write(text.trim());
  };
  return { typed, term, type };
}
