import { CloseButton, Loader, Switch, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import { useSearchParams } from 'wouter';
import { useCommonMessages } from '../i18n/language.tsx';
import { Icon } from './icon.tsx';
import { useSearchParameters } from './paging.tsx';

export interface SearchTerm {
  readonly typed: string;
  /** The term in the URL, which follows the field after a pause; empty to list everything. */
  readonly term: string;
  readonly type: (text: string) => void;
}

const debounceMs = 250;

/** Keeps the search term in the URL (`?search=rossi`). Input is debounced, and a new term returns to the first page. */
export function useSearchTerm(parameter: 'search' | 'tags' = 'search'): SearchTerm {
  const [search, setParameters] = useSearchParameters();
  const term = search.get(parameter) ?? '';
  const [typed, setTyped] = useState(term);
  const written = useRef(term);

  const write = useDebouncedCallback((text: string) => {
    written.current = text;
    setParameters({ page: null, [parameter]: text || null }, { replace: true });
  }, debounceMs);

  // The back and forward buttons change the term without the field.
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

interface SearchProps {
  readonly label: string;
  readonly placeholder: string;
  readonly search: SearchTerm;
  readonly busy: boolean;
}

/** A field that searches while the reader types; `useSearchTerm` holds its state. */
export function Search({ label, placeholder, search, busy }: SearchProps) {
  const { clearSearch } = useCommonMessages();
  const field = useRef<HTMLInputElement>(null);

  function clear() {
    search.type('');
    field.current?.focus();
  }

  return (
    <TextInput
      ref={field}
      role="searchbox"
      aria-label={label}
      placeholder={placeholder}
      value={search.typed}
      onChange={(event) => search.type(event.currentTarget.value)}
      leftSection={busy ? <Loader size={16} aria-hidden /> : <Icon name="search" />}
      rightSection={search.typed !== '' && <CloseButton aria-label={clearSearch} onClick={clear} />}
      maxLength={200}
      autoComplete="off"
      spellCheck={false}
      w={{ base: '100%', sm: 380 }}
    />
  );
}

/** Keeps the filter for failed records in the URL (`?failed=true`). A change returns to the first page. */
export function useFailedOnly(): [failed: boolean, choose: (failed: boolean) => void] {
  const [search, setSearch] = useSearchParams();
  const choose = (failed: boolean) => setSearch(failed ? { failed: 'true' } : {});
  return [search.get('failed') === 'true', choose];
}

export function FailedOnly({ label }: { label: string }) {
  const [failed, choose] = useFailedOnly();
  return <Switch label={label} checked={failed} onChange={(event) => choose(event.currentTarget.checked)} />;
}
