import type { ColumnNamesByField, RowProblem } from '@anagrafe/importer';
import { Text } from '@mantine/core';
import { useFormats } from '../../i18n/formats.ts';
import { useSyncMessages } from '../../i18n/language.tsx';
import { focusOnMount } from '../../ui/focus.ts';
import { LocalTable } from '../../ui/local-table.tsx';
import { Surface } from '../../ui/page.tsx';
import type { Column } from '../../ui/table.tsx';
import { ErrorsOfRow } from '../plans/side-by-side.tsx';

interface ProblemsProps {
  readonly title: string;
  readonly problems: readonly RowProblem[];
  /** The names of the columns of the file. */
  readonly names: ColumnNamesByField;
  readonly isError?: boolean;
}

/** The rows of a file that were not applied, or cannot be, with their errors. */
export function Problems({ title, problems, names, isError = false }: ProblemsProps) {
  const messages = useSyncMessages();
  const { number } = useFormats();
  const columns: readonly Column<{ at: number } & RowProblem>[] = [
    { name: messages.line, numeric: true, cell: ({ line }) => number(line) },
    {
      name: messages.error,
      card: 'full',
      cell: ({ errors }) => <ErrorsOfRow errors={errors} names={names} />,
    },
  ];
  const shown = problems.map((problem, at) => ({ ...problem, at }));
  return (
    <Surface title={messages.errors} flush>
      <Text px="lg" pb="md" role={isError ? 'alert' : undefined} tabIndex={-1} ref={focusOnMount}>
        {title}
      </Text>
      <LocalTable
        caption={messages.errors}
        columns={columns}
        rows={shown}
        keyOf={({ at }) => at}
        empty={null}
      />
    </Surface>
  );
}
