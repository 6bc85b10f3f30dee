import type { Principal, UserOfPrincipal } from '@anagrafe/client';
import { useState } from 'react';
import { usePlace } from '../../api/paged.ts';
import { useSearchTerm } from '../../api/search.ts';
import { useUsers } from '../../api/users.ts';
import { Empty } from '../../parts/empty.tsx';
import { PagedTable } from '../../parts/paged-table.tsx';
import { Search } from '../../parts/search.tsx';
import { Surface } from '../../parts/surface.tsx';
import { Reset } from './reset.tsx';
import { SwitchUser } from './switch-state.tsx';
import type { UserAct } from './user-act.ts';
import { useUserColumns } from './user-columns.tsx';
import { useWords } from './words.ts';

const shown = 10;
const acts = { reset: Reset, state: SwitchUser };

/** The users of a principal, by pages; those whose username is searched for. */
export function Users({ principal }: { principal: Principal }) {
  const { users: words } = useWords();
  const search = useSearchTerm();
  const [place, goTo] = usePlace(shown);
  const list = useUsers(principal.ID, search.term, place);
  const [chosen, setChosen] = useState<{ user: UserOfPrincipal; act: UserAct } | null>(null);
  const columns = useUserColumns((user, act) => setChosen({ user, act }));
  const Chosen = chosen && acts[chosen.act];
  const field = (
    <Search
      label={words.search}
      placeholder={words.searchHint}
      search={search}
      busy={list.isPlaceholderData}
    />
  );
  return (
    <Surface title={words.title} actions={field} flush>
      <PagedTable
        caption={words.title}
        columns={columns}
        list={list}
        place={place}
        onPage={goTo}
        keyOf={({ ID }) => ID}
        empty={<Empty {...(principal.UsersCount === 0 ? words.empty : words.notFound)} />}
      />
      {chosen && Chosen && <Chosen user={chosen.user} onClose={() => setChosen(null)} />}
    </Surface>
  );
}
