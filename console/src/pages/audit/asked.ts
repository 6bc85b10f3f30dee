import { useSearchParams } from 'wouter';

/** Which part of the journal is looked at. */
export interface Asked {
  /** Of one principal alone. */
  readonly principal: number | null;
  /** From this position back, and not from the newest one. */
  readonly position: number | null;
  /** Whether rows of those who have only read are among them. */
  readonly reads: boolean;
}

/** What the address asks for: `?principal=7&position=1200&reads=false`. */
export function useAsked(): [Asked, ask: (change: Partial<Asked>) => void] {
  const [search, setSearch] = useSearchParams();
  const asked: Asked = {
    principal: figureOf(search.get('principal')),
    position: figureOf(search.get('position')),
    reads: search.get('reads') !== 'false',
  };
  const ask = (change: Partial<Asked>) => {
    const { principal, position, reads } = { ...asked, ...change };
    setSearch({
      ...(principal !== null && { principal: String(principal) }),
      ...(position !== null && { position: String(position) }),
      ...(!reads && { reads: 'false' }),
    });
  };
  return [asked, ask];
}

/** Null for what is no number that one can ask for. */
function figureOf(text: string | null): number | null {
  const figure = Number(text);
  return Number.isSafeInteger(figure) && figure > 0 && figure < Number.MAX_SAFE_INTEGER ? figure : null;
}
