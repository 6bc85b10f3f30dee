import type { AuditVerification } from '@anagrafe/client';
import { Alert, Button, Group, NumberInput, Stack, Switch, Text } from '@mantine/core';
import { useForm } from '@mantine/form';
import { useSearchParams } from 'wouter';
import { useFormats } from '../../i18n/formats.ts';
import { useAuditMessages } from '../../i18n/language.tsx';
import { Copied } from '../../ui/copy.tsx';
import { Icon } from '../../ui/icon.tsx';
import { ListSection } from '../../ui/list-page.tsx';
import { Failure } from '../../ui/loading-or-error.tsx';
import { Page, Surface } from '../../ui/page.tsx';
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

/** The filter of the audit log, which the query string holds: `?principal=7&position=1200&reads=false`. */
interface Filter {
  /** Shows only the rows of this principal ID; null shows all rows. */
  readonly principal: number | null;
  /** Starts the list at this position and continues to older rows; null starts at the newest row. */
  readonly position: number | null;
  /** Includes rows that record read access. */
  readonly reads: boolean;
}

function useFilter(): [Filter, setFilter: (change: Partial<Filter>) => void] {
  const [search, setSearch] = useSearchParams();
  const filter: Filter = {
    principal: positiveInteger(search.get('principal')),
    position: positiveInteger(search.get('position')),
    reads: search.get('reads') !== 'false',
  };
  const setFilter = (change: Partial<Filter>) => {
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

function AuditLog() {
  const messages = useAuditMessages();
  const { find } = messages;
  const { number } = useFormats();
  const [{ principal, position, reads }, setFilter] = useFilter();
  const list = useAuditLog({ principal, position, reads, pageSize: 50 });
  const controls = (
    <Group align="flex-end">
      <NumberForm label={find.position} onSubmit={(value) => setFilter({ position: value })} />
      <NumberForm
        label={find.principal}
        onSubmit={(value) => setFilter({ principal: value, position: null })}
      />
      <Switch
        label={find.reads}
        checked={reads}
        onChange={(event) => setFilter({ reads: event.currentTarget.checked })}
        mb={5}
      />
    </Group>
  );
  return (
    <ListSection
      title={messages.caption}
      actions={controls}
      caption={messages.caption}
      columns={useColumns()}
      list={list}
      keyOf={({ Position }) => Position}
      empty={principal === null ? messages.empty : messages.emptyOf}
    >
      {(principal !== null || position !== null) && (
        <Group px="lg" pb="sm">
          <Text size="sm">
            {principal !== null && find.of(String(principal))}{' '}
            {position !== null && find.from(number(position))}
          </Text>
          <Button variant="default" size="xs" onClick={() => setFilter({ principal: null, position: null })}>
            {principal === null ? find.newest : find.all}
          </Button>
        </Group>
      )}
    </ListSection>
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
          w={210}
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
