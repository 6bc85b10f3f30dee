import { Group, Paper, Title } from '@mantine/core';
import { type ReactNode, useId } from 'react';

interface SurfaceProps {
  readonly title: string;
  readonly actions?: ReactNode;
  /** For what goes to the edges: a table. */
  readonly flush?: boolean;
  readonly children: ReactNode;
}

/** A part of a page, with a heading of its own. */
export function Surface({ title, actions, flush = false, children }: SurfaceProps) {
  const id = useId();
  return (
    <Paper component="section" aria-labelledby={id} withBorder p={flush ? 0 : 'lg'} h="100%">
      <Group justify="space-between" mb="md" {...(flush && { px: 'lg', pt: 'lg' })}>
        <Title order={2} size="h5" id={id}>
          {title}
        </Title>
        {actions}
      </Group>
      {children}
    </Paper>
  );
}
