import { CloseButton, Loader, TextInput } from '@mantine/core';
import { useRef } from 'react';
import type { SearchTerm } from '../api/search.ts';
import { useWords } from '../language/words.ts';
import { Icon } from './icon.tsx';

interface SearchProps {
  readonly label: string;
  readonly placeholder: string;
  readonly search: SearchTerm;
  /** What was typed is not there yet. */
  readonly busy: boolean;
}

/** Searches while one types; `useSearchTerm` keeps what for. */
export function Search({ label, placeholder, search, busy }: SearchProps) {
  const { clearSearch } = useWords();
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
