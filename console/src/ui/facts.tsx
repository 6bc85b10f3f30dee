import { Text } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './facts.module.css';

export type Fact = readonly [name: string, value: ReactNode];

/** A description list: each value below its name. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <div className={classes.facts}>
      <dl className={classes.grid}>
        {facts.map(([name, value]) => (
          <div key={name}>
            <Text component="dt" size="xs" c="dimmed" fw={600}>
              {name}
            </Text>
            <Text component="dd" m={0} mt={2} size="sm" style={{ overflowWrap: 'anywhere' }}>
              {value}
            </Text>
          </div>
        ))}
      </dl>
    </div>
  );
}
