import type { Principal } from '@anagrafe/client';
import { useFormats } from '../../language/formats.ts';
import { type Fact, Facts } from '../../parts/facts.tsx';
import { Moment } from '../../parts/moment.tsx';
import { Surface } from '../../parts/surface.tsx';
import { StateBadge } from './state-badge.tsx';
import { useWords } from './words.ts';

/** What is known of a principal; what is not there is left out. */
export function Details({ principal }: { principal: Principal }) {
  const { fields, details } = useWords();
  const { number } = useFormats();
  const all: readonly Fact[] = [
    [details.state, <StateBadge key="state" of="principal" state={principal.State} />],
    [details.id, principal.ID],
    [fields.Denomination, principal.Denomination],
    [fields.Name, principal.Name],
    [fields.Surname, principal.Surname],
    [fields.ExternalKey, principal.ExternalKey],
    [fields.Vatnumber, principal.Vatnumber],
    [fields.Taxcode, principal.Taxcode],
    [fields.Email, principal.Email],
    [details.users, number(principal.UsersCount)],
    [details.created, <Moment key="created" at={principal.CreatedAt} />],
    [details.updated, <Moment key="updated" at={principal.UpdatedAt} />],
  ];
  return (
    <Surface title={details.title}>
      <Facts facts={all.filter(([, value]) => value !== null)} />
    </Surface>
  );
}
