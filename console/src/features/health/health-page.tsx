import type { HealthReport, Setting } from '@anagrafe/client';
import { Anchor, Badge, Code, Group, Stack, Switch, Text } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { Link } from 'wouter';
import { useFormats } from '../../i18n/formats.ts';
import { useHealthMessages } from '../../i18n/language.tsx';
import { wrapped } from '../../ui/copy.tsx';
import { ListSection } from '../../ui/list-page.tsx';
import { Failure } from '../../ui/loading-or-error.tsx';
import { Page, Surface } from '../../ui/page.tsx';
import type { Column } from '../../ui/table.tsx';
import { Moment } from '../../ui/time.tsx';
import { useAnagrafe } from '../session/api-client.ts';
import { useMay } from '../session/session.ts';

/** The state of the service and its settings. Nothing can be changed here. */
export function Health() {
  const messages = useHealthMessages();
  const may = useMay();
  return (
    <Page title={messages.title} intro={messages.intro}>
      <Stack>
        <Report />
        <Settings />
        {may('clients.write') && (
          <Anchor component={Link} href="/setup" size="sm">
            {messages.setup}
          </Anchor>
        )}
      </Stack>
    </Page>
  );
}

function Report() {
  const messages = useHealthMessages();
  const { admin } = useAnagrafe();
  const { data, error, refetch } = useQuery({
    queryKey: ['health'],
    queryFn: async ({ signal }) => {
      const [health, statistics] = await Promise.all([
        admin.health({ signal }),
        admin.statistics({ signal }),
      ]);
      return { health, statistics };
    },
    refetchInterval: 30_000,
  });
  const { number, rate } = useFormats();
  if (error && !data) return <Failure error={error} onRetry={refetch} />;
  if (!data) return <Surface title={messages.state}>{null}</Surface>;
  const { health, statistics } = data;
  const { JobsQueued, JobsRunning, Hashing, PendingRows } = statistics;
  const waiting = Hashing.WaitingInteractive + Hashing.WaitingBulk;
  return (
    <Surface title={messages.state}>
      <Stack gap="sm" component="dl" m={0}>
        <Row name={messages.service}>
          {messages.version(health.Version, health.Node)} <Moment at={health.StartedAt} />
        </Row>
        <Row name={messages.database}>
          {messages.databaseOf[health.Database.Kind](health.Database.Version)},{' '}
          {bytesText(health.Database.Bytes, rate)}
        </Row>
        <Row name={messages.disk} isBad={isFull(health.Disk)}>
          {health.Disk
            ? messages.free(bytesText(health.Disk.Free, rate), bytesText(health.Disk.Bytes, rate))
            : messages.unknown}
        </Row>
        <Row name={messages.queue}>
          {messages.jobs(number(JobsQueued), number(JobsRunning), number(PendingRows))}
        </Row>
        <Row name={messages.hashing}>
          {messages.hashes(rate(Hashing.HashesPerSecond), rate(Hashing.Capacity), number(waiting))}
        </Row>
        <Certificate certificate={health.Certificate} />
        <Row name={messages.mail} isBad={health.Mail?.Error != null}>
          {health.Mail
            ? (health.Mail.Error ?? messages.mailReady(number(health.Mail.Pending)))
            : messages.notConfigured}
        </Row>
        <Row name={messages.backup} isBad={health.Backup?.TakenAt === null}>
          {health.Backup === null ? (
            messages.notConfigured
          ) : health.Backup.TakenAt === null ? (
            messages.noBackup
          ) : (
            <Moment at={health.Backup.TakenAt} />
          )}
        </Row>
      </Stack>
    </Surface>
  );
}

const warnDays = 21;

function Certificate({ certificate }: { certificate: HealthReport['Certificate'] }) {
  const messages = useHealthMessages();
  if (!certificate) return <Row name={messages.certificate}>{messages.notConfigured}</Row>;
  const { Host, ValidTo, Error: problem } = certificate;
  const daysLeft = ValidTo === null ? null : (Date.parse(ValidTo) - Date.now()) / 86_400_000;
  return (
    <Row name={messages.certificate} isBad={problem !== null || (daysLeft !== null && daysLeft < warnDays)}>
      {Host}: {problem ?? messages.validUntil} {ValidTo && <Moment at={ValidTo} />}
    </Row>
  );
}

function Row({ name, isBad = false, children }: { name: string; isBad?: boolean; children: ReactNode }) {
  const messages = useHealthMessages();
  return (
    <Group gap="xs" align="baseline">
      <Text component="dt" size="sm" c="dimmed" w={170}>
        {name}
      </Text>
      <Text component="dd" size="sm" m={0} flex={1} miw={220} style={{ overflowWrap: 'anywhere' }}>
        {children}{' '}
        {isBad && (
          <Badge color="red" ml="xs">
            {messages.check}
          </Badge>
        )}
      </Text>
    </Group>
  );
}

/** Less than a twentieth, or less than 2 GB, is free. */
function isFull(disk: HealthReport['Disk']): boolean {
  return disk !== null && (disk.Free < disk.Bytes / 20 || disk.Free < 2e9);
}

function bytesText(bytes: number, rate: (value: number) => string): string {
  const units = ['kB', 'MB', 'GB', 'TB'];
  let value = bytes / 1000;
  let unit = 0;
  for (; value >= 1000 && unit < units.length - 1; unit++) value /= 1000;
  return `${rate(value)} ${units[unit]}`;
}

function Settings() {
  const messages = useHealthMessages();
  const { admin } = useAnagrafe();
  const { data, error, refetch } = useQuery({
    queryKey: ['settings', 'all'],
    queryFn: ({ signal }) => admin.settings({ signal }),
  });
  const [onlyChanged, setOnlyChanged] = useState(false);
  const rows = onlyChanged ? data?.filter(({ Source }) => Source !== 'default') : data;
  const columns: readonly Column<Setting>[] = [
    { name: messages.columns.name, card: 'title', cell: ({ Name }) => <Code style={wrapped}>{Name}</Code> },
    {
      name: messages.columns.value,
      cell: ({ Value }) => (
        <Text size="sm" style={wrapped}>
          {Value}
        </Text>
      ),
    },
    { name: messages.columns.source, cell: ({ Source }) => messages.source[Source] },
  ];
  return (
    <ListSection
      title={messages.settings}
      actions={
        <Switch
          label={messages.onlyChanged}
          checked={onlyChanged}
          onChange={(event) => setOnlyChanged(event.currentTarget.checked)}
        />
      }
      caption={messages.settings}
      columns={columns}
      list={{ rows, error, refetch }}
      keyOf={({ Name }) => Name}
      empty={{ title: messages.noneChanged, hint: messages.noneChangedHint }}
    />
  );
}
