import { Stack, Text, Title } from '@mantine/core';
import { useFormats } from '../../i18n/formats.ts';
import { useImportMessages } from '../../i18n/language.tsx';
import { ChangesTable } from '../plans/changes-table.tsx';
import classes from './import.module.css';
import type { Plan } from './plan-rows.ts';

/** The changes that an import would make, with the stored and the new value of each field. */
export function PlanTable({ plan }: { plan: Plan }) {
  const { plan: messages } = useImportMessages();
  const { number } = useFormats();
  const { counts } = plan;
  return (
    <>
      <Stack gap={4} px="lg" py="md" className={classes.plan ?? ''}>
        <Title order={3} size="h5">
          {messages.title}
        </Title>
        <Text size="sm" fw={600}>
          {messages.summary({
            principalsInserted: number(counts.PrincipalsInserted),
            principalsUpdated: number(counts.PrincipalsUpdated),
            usersRegistered: number(counts.UsersRegistered),
            usersUpdated: number(counts.UsersUpdated),
            unchanged: number(counts.Unchanged),
          })}
        </Text>
        <Text size="sm" c="dimmed">
          {messages.hint}
        </Text>
      </Stack>
      <ChangesTable
        caption={messages.caption}
        changes={plan.changes}
        empty={{ title: messages.none, hint: messages.noneHint }}
      />
    </>
  );
}
