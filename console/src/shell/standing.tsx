import { type ReactNode, useState } from 'react';
import { useRoute } from 'wouter';
import { Here } from '../parts/here.ts';

/**
 * A page that stays as it is while another one is looked at, once one has been there: what was begun on it goes on, and nothing that was
 * typed is lost. Out of sight it takes neither the focus nor the title.
 */
export function Standing({ path, children }: { path: string; children: ReactNode }) {
  const [here] = useRoute(path);
  const [been, setBeen] = useState(here);
  if (here && !been) setBeen(true);
  return (
    <Here value={here}>
      <div hidden={!here}>{been && children}</div>
    </Here>
  );
}
