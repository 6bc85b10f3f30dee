import { useSearchParams } from 'wouter';
import { Page } from '../../parts/page.tsx';
import { Chain } from './chain.tsx';
import { History } from './history.tsx';
import { Journal } from './journal.tsx';
import { useWords } from './words.ts';

/** `/console/audit`: what was done; `?principal=7` for one principal. */
export function Audit() {
  const words = useWords();
  const [search] = useSearchParams();
  const principal = Number(search.get('principal'));
  const chosen = Number.isSafeInteger(principal) && principal > 0;
  return (
    <Page title={words.title} intro={words.intro}>
      <Chain />
      {chosen ? <History principal={principal} /> : <Journal />}
    </Page>
  );
}
