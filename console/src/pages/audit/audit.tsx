import { Page } from '../../parts/page.tsx';
import { Chain } from './chain.tsx';
import { Journal } from './journal.tsx';
import { useWords } from './words.ts';

/** `/console/audit`: what was done, and whether what is written of it is as it was written. */
export function Audit() {
  const words = useWords();
  return (
    <Page title={words.title} intro={words.intro}>
      <Chain />
      <Journal />
    </Page>
  );
}
