import type { Principal } from '@anagrafe/client';
import { Box, SimpleGrid, Text } from '@mantine/core';
import type { ReactNode } from 'react';
import { useFormats } from '../../language/formats.ts';
import { Moment } from '../../parts/moment.tsx';
import { Surface } from '../../parts/surface.tsx';
import { StateBadge } from './state-badge.tsx';
import { useWords } from './words.ts';

/** What is known of a principal; what is not there is left out. */
export function Details({ principal }: { principal: Principal }) {
  const { fields, details } = useWords();
  const { number } = useFormats();
  const all: readonly [string, ReactNode][] = [
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
      <SimpleGrid component="dl" m={0} cols={{ base: 2, md: 4 }} verticalSpacing="md">
        {all
          .filter(([, value]) => value !== null)
          .map(([name, value]) => (
            <Box key={name}>
              <Text component="dt" size="xs" c="dimmed" fw={600}>
                {name}
              </Text>
              <Text component="dd" m={0} mt={2} size="sm" style={{ overflowWrap: 'anywhere' }}>
                {value}
              </Text>
            </Box>
          ))}
      </SimpleGrid>
    </Surface>
  );
}
