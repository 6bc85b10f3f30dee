import { ActionIcon, Group, Text } from '@mantine/core';
import { useFormats } from '../language/formats.ts';
import { useWords } from '../language/words.ts';
import { Icon, type IconName } from './icon.tsx';

interface PagerProps {
  /** Of what list, for those who listen. */
  readonly of: string;
  readonly page: number;
  readonly pageSize: number;
  readonly totalCount: number;
  readonly totalPages: number;
  readonly onPage: (page: number) => void;
}

/** From page to page of a list, with how much there is. Nothing where all of it is to be seen. */
export function Pager({ of, page, pageSize, totalCount, totalPages, onPage }: PagerProps) {
  const { table } = useWords();
  const { number } = useFormats();
  if (totalPages <= 1) return null;
  const from = (page - 1) * pageSize + 1;
  const to = Math.min(totalCount, page * pageSize);
  const step = (label: string, icon: IconName, to: number, possible: boolean) => (
    <ActionIcon
      variant="default"
      size="lg"
      aria-label={label}
      title={label}
      // A button that is disabled loses the focus, and with it the place of whoever has no mouse.
      aria-disabled={!possible}
      data-disabled={!possible}
      onClick={() => possible && onPage(to)}
    >
      <Icon name={icon} />
    </ActionIcon>
  );
  return (
    <Group component="nav" aria-label={table.pages(of)} justify="space-between" px="lg" py="sm">
      <Text size="sm" c="dimmed" role="status">
        {table.range(number(from), number(to), number(totalCount))}
      </Text>
      <Group gap={6}>
        {step(table.first, 'first', 1, page > 1)}
        {step(table.previous, 'previous', page - 1, page > 1)}
        <Text size="sm" px="xs">
          {table.page(number(page), number(totalPages))}
        </Text>
        {step(table.next, 'next', page + 1, page < totalPages)}
        {step(table.last, 'last', totalPages, page < totalPages)}
      </Group>
    </Group>
  );
}
