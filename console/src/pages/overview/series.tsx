import type { Span } from '@anagrafe/client';
import { ColorSwatch, Group, Text } from '@mantine/core';

/** A figure that is drawn: what it is called, and in which colour. */
export interface Series {
  readonly name: Exclude<keyof Span, 'Start'>;
  readonly label: string;
  readonly color: string;
}

/** Which colour is which. */
export function SeriesName({ label, color }: Series) {
  return (
    <Group gap={6} wrap="nowrap">
      <ColorSwatch size={10} color={color} withShadow={false} />
      <Text size="xs">{label}</Text>
    </Group>
  );
}
