import { useSearchParams } from 'wouter';

/** What the address has opened in front of a list: `?open=<id>`. So it can be shown to others, and gone back from. */
export function useOpened(): [id: string | null, open: (id: string | null) => void] {
  const [search, setSearch] = useSearchParams();
  const open = (id: string | null) =>
    setSearch((before) => {
      const after = new URLSearchParams(before);
      if (id === null) after.delete('open');
      else after.set('open', id);
      return after;
    });
  return [search.get('open'), open];
}
