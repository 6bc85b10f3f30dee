import { useSearchParams } from 'wouter';

/** Whether the address asks for what has failed alone: `?failed=true`. Another choice begins at the first page. */
export function useFailedOnly(): [failed: boolean, choose: (failed: boolean) => void] {
  const [search, setSearch] = useSearchParams();
  const choose = (failed: boolean) => setSearch(failed ? { failed: 'true' } : {});
  return [search.get('failed') === 'true', choose];
}
