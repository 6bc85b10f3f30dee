import { Button, Group, NumberInput, Switch, Text } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { useSearchParams } from 'wouter';
import { useFormats } from '../../i18n/formats.ts';
import { useAuditMessages } from '../../i18n/messages.ts';
import { NewestFirstTable } from '../../ui/newest-first-table.tsx';
import { Page, Surface } from '../../ui/page.tsx';
import { Empty } from '../../ui/table.tsx';
import { useColumns } from './audit-columns.tsx';
import { Chain } from './hash-chain.tsx';
import { useAuditLog } from './queries.ts';

/** Filter of the audit log page. */
export interface Asked {
  /** Shows only the rows of this principal ID; null shows all rows. */
  readonly principal: number | null;
  /** Starts the list at this position and continues to older rows; null starts at the newest row. */
  readonly position: number | null;
  /** Includes rows that record read access. */
  readonly reads: boolean;
}

/** Reads and writes the filter in the query string: `?principal=7&position=1200&reads=false`. */
export function useAuditFilter(): [Asked, setFilter: (change: Partial<Asked>) => void] {
  const [search, setSearch] = useSearchParams();
  const filter: Asked = {
    principal: positiveInteger(search.get('principal')),
    position: positiveInteger(search.get('position')),
    reads: search.get('reads') !== 'false',
  };
  const setFilter = (change: Partial<Asked>) => {
    const { principal, position, reads } = { ...filter, ...change };
    setSearch({
      ...(principal !== null && { principal: String(principal) }),
      ...(position !== null && { position: String(position) }),
      ...(!reads && { reads: 'false' }),
    });
  };
  return [filter, setFilter];
}

/** Returns null for anything but an integer from 1 to `MAX_SAFE_INTEGER - 1`: `useAuditLog` adds 1 to a position. */
function positiveInteger(text: string | null): number | null {
  const value = Number(text);
  return Number.isSafeInteger(value) && value > 0 && value < Number.MAX_SAFE_INTEGER ? value : null;
}

/** Form with one number field, minimum 1. Submitting an empty field does nothing. */
export function NumberForm({ label, onAsk }: { label: string; onAsk: (number: number) => void }) {
  const { find } = useAuditMessages();
  const [number, setNumber] = useState<number | string>('');

  function submit(event: FormEvent) {
    event.preventDefault();
    if (number !== '') onAsk(Number(number));
  }

  return (
    <form onSubmit={submit}>
      <Group align="flex-end" gap="xs" wrap="nowrap">
        <NumberInput
          label={label}
          size="xs"
          w={210}
          value={number}
          onChange={setNumber}
          min={1}
          max={Number.MAX_SAFE_INTEGER - 1}
          allowDecimal={false}
          allowNegative={false}
          hideControls
        />
        <Button type="submit" size="xs" variant="default" aria-label={`${find.go}: ${label}`}>
          {find.go}
        </Button>
      </Group>
    </form>
  );
}

/** Audit log table, newest row first, with the controls of its filter. */
export function Journal() {
  const messages = useAuditMessages();
  const [{ principal, position, reads }, setFilter] = useAuditFilter();
  const list = useAuditLog({ principal, position, reads, pageSize: 50 });
  const filterControls = (
    <Group align="flex-end">
      <NumberForm label={messages.find.position} onAsk={(number) => setFilter({ position: number })} />
      <NumberForm
        label={messages.find.principal}
        onAsk={(id) => setFilter({ principal: id, position: null })}
      />
      <Switch
        label={messages.find.reads}
        checked={reads}
        onChange={(event) => setFilter({ reads: event.currentTarget.checked })}
        mb={5}
      />
    </Group>
  );
  return (
    <Surface title={messages.caption} actions={filterControls} flush>
      <ActiveFilter
        principal={principal}
        position={position}
        onAll={() => setFilter({ principal: null, position: null })}
      />
      <NewestFirstTable
        caption={messages.caption}
        columns={useColumns()}
        list={list}
        keyOf={({ Position }) => Position}
        empty={<Empty {...(principal === null ? messages.empty : messages.emptyOf)} />}
      />
    </Surface>
  );
}

interface ActiveFilterProps {
  readonly principal: number | null;
  readonly position: number | null;
  readonly onAll: () => void;
}

/** Shows the active principal and position filters with a button that clears both; renders nothing without a filter. */
function ActiveFilter({ principal, position, onAll }: ActiveFilterProps) {
  const { find } = useAuditMessages();
  const { number } = useFormats();
  if (principal === null && position === null) return null;
  return (
    <Group px="lg" pb="sm">
      <Text size="sm">
        {principal !== null && find.of(String(principal))} {position !== null && find.from(number(position))}
      </Text>
      <Button variant="default" size="xs" onClick={onAll}>
        {principal === null ? find.newest : find.all}
      </Button>
    </Group>
  );
}

/** `/console/audit`: the audit log and the verification of its hash chain. */
export function Audit() {
  const messages = useAuditMessages();
  return (
    <Page title={messages.title} intro={messages.intro}>
      <Chain />
      <Journal />
    </Page>
  );
}
