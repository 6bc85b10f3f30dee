import { Group } from '@mantine/core';
import { useSearchParams } from 'wouter';
import { useJournal } from '../../api/audit.ts';
import { usePlace } from '../../api/paged.ts';
import { Empty } from '../../parts/empty.tsx';
import { PagedTable } from '../../parts/paged-table.tsx';
import { Surface } from '../../parts/surface.tsx';
import { Ask } from './ask.tsx';
import { useColumns } from './columns.tsx';
import { useWords } from './words.ts';

/** All rows, the newest first. */
export function Journal() {
  const words = useWords();
  const [place, goTo] = usePlace(50);
  const [, setSearch] = useSearchParams();
  const list = useJournal(place);
  const last = list.data?.record.last ?? 0;
  const pageOf = (position: number) =>
    Math.max(1, Math.floor((last - Math.min(position, last)) / place.pageSize) + 1);
  const lookUp = (
    <Group>
      <Ask label={words.find.position} onAsk={(position) => goTo(pageOf(position))} />
      <Ask label={words.find.principal} onAsk={(principal) => setSearch({ principal: String(principal) })} />
    </Group>
  );
  return (
    <Surface title={words.caption} actions={lookUp} flush>
      <PagedTable
        caption={words.caption}
        columns={useColumns()}
        list={list}
        place={place}
        onPage={goTo}
        keyOf={({ Position }) => Position}
        empty={<Empty title={words.empty.title} hint={words.empty.hint} />}
      />
    </Surface>
  );
}
