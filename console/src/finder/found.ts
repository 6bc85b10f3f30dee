import { useDebouncedValue } from '@mantine/hooks';
import { useFoundPrincipals } from '../api/principals.ts';
import { useWords } from '../language/words.ts';
import { pages } from '../pages.ts';
import type { IconName } from '../parts/icon.tsx';
import { nameOf } from '../parts/principal-name.ts';

/** Somewhere to go. */
export interface Find {
  readonly href: string;
  readonly icon: IconName;
  readonly name: string;
  readonly hint: string;
}

const pauseMs = 150;

/** The pages and the principals that go by what was typed; nothing typed finds every page. */
export function useFound(typed: string): { readonly finds: readonly Find[]; readonly busy: boolean } {
  const words = useWords();
  const wanted = typed.trim();
  const [term] = useDebouncedValue(wanted, pauseMs);
  const { data, isFetching } = useFoundPrincipals(term);
  const named = pages
    .map(({ path, icon, name }) => ({ href: path, icon, name: words.pages[name], hint: words.finder.page }))
    .filter(({ name }) => name.toLowerCase().includes(wanted.toLowerCase()));
  const principals = (wanted !== '' && data) || [];
  return {
    finds: [
      ...named,
      ...principals.map((principal) => ({
        href: `/principals/${principal.ID}`,
        icon: 'people' as const,
        name: nameOf(principal),
        hint: [`ID ${principal.ID}`, principal.ExternalKey, principal.Vatnumber].filter(Boolean).join(' · '),
      })),
    ],
    busy: wanted !== term || isFetching,
  };
}
