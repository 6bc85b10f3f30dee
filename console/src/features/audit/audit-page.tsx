import type { AuditAction, AuditRow, AuditVerification } from '@anagrafe/client';
import {
  Alert,
  Button,
  Group,
  NativeSelect,
  NumberInput,
  Stack,
  Switch,
  Text,
  TextInput,
} from '@mantine/core';
import { useForm } from '@mantine/form';
import { useFormats } from '../../i18n/formats.ts';
import { useActorMessages, useAuditMessages } from '../../i18n/language.tsx';
import { Copied } from '../../ui/copy.tsx';
import { Icon } from '../../ui/icon.tsx';
import { ListSection } from '../../ui/list-page.tsx';
import { Failure } from '../../ui/loading-or-error.tsx';
import { Page, Surface } from '../../ui/page.tsx';
import { useSearchParameters } from '../../ui/paging.tsx';
import { useClients } from '../clients/queries.ts';
import { useColumns } from './audit-columns.tsx';
import { useAuditLog, useVerify } from './queries.ts';

export function Audit() {
  const messages = useAuditMessages();
  return (
    <Page title={messages.title} intro={messages.intro}>
      <HashChain />
      <AuditLog />
    </Page>
  );
}

/**
 * Verifies the hash chain of the audit log on request. If it is intact, shows the position and hash of the last row,
 * which the user can store outside the service and compare later.
 */
function HashChain() {
  const { chain } = useAuditMessages();
  const { data, error, isPending, mutate } = useVerify();
  const verify = (
    <Button size="xs" loading={isPending} onClick={() => mutate()}>
      {chain.verify}
    </Button>
  );
  return (
    <Surface title={chain.title} actions={verify}>
      <Stack>
        <Text size="sm" c="dimmed">
          {chain.text}
        </Text>
        {error && <Failure error={error} />}
        {data && <VerificationResult verdict={data} />}
      </Stack>
    </Surface>
  );
}

function VerificationResult({ verdict }: { verdict: AuditVerification }) {
  const { chain } = useAuditMessages();
  const { number } = useFormats();
  const { Sound, Rows, Position, Error: error, LastPosition, LastHash } = verdict;
  if (!Sound) {
    return (
      <Alert color="red" variant="light" role="alert" icon={<Icon name="warning" />} title={chain.broken}>
        {chain.brokenText(number(Rows), number(Position ?? 0), error ? chain.errors[error] : '')}
      </Alert>
    );
  }
  return (
    <>
      <Alert color="teal" variant="light" role="status" icon={<Icon name="check" />} title={chain.sound}>
        {chain.soundText(number(Rows))}
      </Alert>
      {LastPosition !== null && LastHash !== null && (
        <div>
          <Copied label={chain.end} value={`${LastPosition}:${LastHash}`} />
          <Text size="xs" c="dimmed" mt={6}>
            {chain.endHint}
          </Text>
        </div>
      )}
    </>
  );
}

/** The kinds of actors without a client. */
const actors = ['user', 'protected', 'operator', 'service'] as const satisfies readonly AuditRow['Actor'][];
const filterNames = ['principal', 'user', 'actor', 'action', 'from', 'until', 'position'] as const;

/**
 * Keeps the filter in the URL: `?principal=7&user=12&actor=3&action=update&from=2026-01-31&until=2026-02-01&reads=false`.
 * `actor` is the ID of an API client or the kind of another actor, `until` the last day, and `position` the newest position.
 */
function useFilter() {
  const [search, setParameters] = useSearchParameters();
  const { actions } = useAuditMessages();
  const actor = search.get('actor');
  const [from, until] = [dayOf(search.get('from')), dayOf(search.get('until'), 1)];
  const kind = actors.find((one) => one === actor);
  const client = positiveInteger(actor);
  const action = search.get('action');
  return {
    isFiltered: filterNames.some((name) => search.has(name)),
    textOf: (name: (typeof filterNames)[number]) => search.get(name) ?? '',
    setFilter: (name: (typeof filterNames)[number] | 'reads', value: string | null) =>
      setParameters({ [name]: value || null }),
    clear: () => setParameters(Object.fromEntries(filterNames.map((name) => [name, null]))),
    filter: {
      principal: positiveInteger(search.get('principal')),
      user: positiveInteger(search.get('user')),
      position: positiveInteger(search.get('position')),
      reads: search.get('reads') !== 'false',
      ...(kind && { actor: kind }),
      ...(client !== null && { client }),
      ...(action !== null && action in actions && { action: action as AuditAction }),
      ...(from && { from }),
      ...(until && { until }),
    },
  };
}

/** Returns the beginning of a local day, or of the day that follows after `days`; undefined if the text is no day. */
function dayOf(text: string | null, days = 0): string | undefined {
  const [, year, month, day] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text ?? '') ?? [];
  const date = new Date(Number(year), Number(month) - 1, Number(day) + days);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/** Returns null for anything but an integer from 1 to `MAX_SAFE_INTEGER - 1`: `useAuditLog` adds 1 to a position. */
function positiveInteger(text: string | null): number | null {
  const value = Number(text);
  return Number.isSafeInteger(value) && value > 0 && value < Number.MAX_SAFE_INTEGER ? value : null;
}

function AuditLog() {
  const messages = useAuditMessages();
  const { find } = messages;
  const { number } = useFormats();
  const { filter, isFiltered, textOf, setFilter, clear } = useFilter();
  const { principal, position, reads } = filter;
  const list = useAuditLog({ ...filter, pageSize: 50 });
  return (
    <ListSection
      title={messages.caption}
      actions={
        <Switch
          label={find.reads}
          checked={reads}
          onChange={(event) => setFilter('reads', event.currentTarget.checked ? null : 'false')}
        />
      }
      caption={messages.caption}
      columns={useColumns()}
      list={list}
      keyOf={({ Position }) => Position}
      empty={isFiltered ? messages.emptyOf : messages.empty}
    >
      <Group align="flex-end" px="lg" pb="md" gap="sm">
        {(['principal', 'user', 'position'] as const).map((name) => (
          <NumberForm key={name} label={find[name]} onSubmit={(value) => setFilter(name, String(value))} />
        ))}
        <ActorSelect value={textOf('actor')} onChange={(value) => setFilter('actor', value)} />
        <NativeSelect
          label={find.action}
          size="xs"
          value={filter.action ?? ''}
          onChange={({ currentTarget: { value } }) => setFilter('action', value)}
          data={[
            { value: '', label: find.anyAction },
            ...Object.entries(messages.actions).map(([value, label]) => ({ value, label })),
          ]}
        />
        {(['from', 'until'] as const).map((name) => (
          <TextInput
            key={name}
            type="date"
            label={find[name]}
            size="xs"
            value={textOf(name)}
            onChange={({ currentTarget: { value } }) => setFilter(name, value)}
          />
        ))}
      </Group>
      {isFiltered && (
        <Group px="lg" pb="sm">
          <Text size="sm">
            {principal !== null && find.of(String(principal))}{' '}
            {filter.user !== null && find.ofUser(String(filter.user))}{' '}
            {position !== null && find.fromPosition(number(position))}
          </Text>
          <Button variant="default" size="xs" onClick={clear}>
            {find.all}
          </Button>
        </Group>
      )}
    </ListSection>
  );
}

/** Selects an API client, or a kind of actors that are no clients. */
function ActorSelect({ value, onChange }: { value: string; onChange: (value: string) => void }) {
  const { find, actorKinds } = useAuditMessages();
  const names = useActorMessages();
  const clients = useClients().data ?? [];
  return (
    <NativeSelect
      label={find.actor}
      size="xs"
      value={value}
      onChange={({ currentTarget }) => onChange(currentTarget.value)}
      data={[
        { value: '', label: find.anyActor },
        ...clients.map(({ ID, Name }) => ({ value: String(ID), label: names.client(Name) })),
        ...actors.map((kind) => ({ value: kind, label: actorKinds[kind] })),
      ]}
    />
  );
}

/** A form with one number, from 1 on. Submitting an empty field does nothing. */
function NumberForm({ label, onSubmit }: { label: string; onSubmit: (value: number) => void }) {
  const { find } = useAuditMessages();
  const form = useForm<{ value: number | string }>({ initialValues: { value: '' } });
  return (
    <form onSubmit={form.onSubmit(({ value }) => void (value !== '' && onSubmit(Number(value))))}>
      <Group align="flex-end" gap="xs" wrap="nowrap">
        <NumberInput
          label={label}
          size="xs"
          w={{ base: 85, sm: 120 }}
          min={1}
          max={Number.MAX_SAFE_INTEGER - 1}
          allowDecimal={false}
          allowNegative={false}
          hideControls
          {...form.getInputProps('value')}
        />
        <Button type="submit" size="xs" variant="default" aria-label={`${find.go}: ${label}`}>
          {find.go}
        </Button>
      </Group>
    </form>
  );
}
