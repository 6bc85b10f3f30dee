import { type ColumnNamesByField, formatRowError, type LookAlike, type RowError } from '@anagrafe/importer';
import { Text } from '@mantine/core';
import { useImportMessages, usePrincipalsMessages } from '../../i18n/language.tsx';
import { CellLink } from '../../ui/table.tsx';
import classes from './side-by-side.module.css';

/** A person has a surname and a name instead of a denomination. */
const names: readonly string[] = ['Denomination', 'Surname', 'Name'];
const fields = ['ExternalKey', 'Denomination', 'Vatnumber', 'Taxcode'] as const;

/** The principal of a row beside the one that it looks like. Values that are alike are marked. */
export function SideBySide({ columns, own, other }: LookAlike) {
  const { similar } = useImportMessages();
  const { fields: labels } = usePrincipalsMessages();
  if (!other) return <Text size="sm">{similar.hidden}</Text>;
  const isAlike = (field: string) =>
    columns.some((column) => column === field || (names.includes(field) && names.includes(column)));
  const value = (field: string, text: string | null) => {
    const shown = text ?? <em>{similar.empty}</em>;
    return isAlike(field) ? <mark>{shown}</mark> : shown;
  };
  return (
    <table className={classes.sides}>
      <thead>
        <tr>
          <td />
          <th scope="col">{similar.own}</th>
          <th scope="col">
            {other.ID === null ? (
              similar.earlier
            ) : (
              <CellLink href={`/principals/${other.ID}`} isUnderlined>
                {similar.stored(String(other.ID))}
              </CellLink>
            )}
          </th>
        </tr>
      </thead>
      <tbody>
        {fields.map((field) => (
          <tr key={field}>
            <th scope="row">{labels[field]}</th>
            <td>{value(field, own[field])}</td>
            <td>{value(field, other[field])}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

interface ErrorsOfRowProps {
  readonly errors: readonly RowError[];
  /** The names of the columns of the file. */
  readonly names: ColumnNamesByField;
}

/** The errors of a row in the language of the reader. */
export function ErrorsOfRow({ errors, names }: ErrorsOfRowProps) {
  const { rowError, similar } = useImportMessages();
  return errors.map((error) => {
    const { lookAlike } = error;
    const text = formatRowError({ ...error, message: lookAlike ? similar.title : rowError(error) }, names);
    return (
      <div key={`${text} ${lookAlike?.other?.ID} ${lookAlike?.columns}`}>
        <Text size="sm">{text}</Text>
        {lookAlike && <SideBySide {...lookAlike} />}
      </div>
    );
  });
}
