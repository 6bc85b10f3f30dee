import { type RowFault, sentenceOf } from '@anagrafe/client/import';
import { isSheetField } from '@anagrafe/client/sheet';
import { Stack, Text } from '@mantine/core';
import { useFormats } from '../../language/formats.ts';
import { usePlaceInWords } from '../../parts/outcome/place.ts';
import { lineOf } from './json.ts';
import { type Row, recordIn } from './row.ts';
import { useWords } from './words.ts';

interface RowFaultsProps {
  readonly id: string;
  readonly row: Row;
  readonly faults: readonly RowFault[];
}

/** A record may have a thousand users, each with its fault. */
const shown = 20;

/** What is wrong with a row: by its column, or, in a record, by the user and the line. */
export function RowFaults({ id, row, faults }: RowFaultsProps) {
  const words = useWords();
  const { number } = useFormats();
  const placeInWords = usePlaceInWords();
  if (faults.length === 0) return <Text size="sm">{words.rows.fine}</Text>;
  const record = recordIn(row);
  const label = (place: string) => {
    if (record) return words.rows.at(placeInWords(place), number(lineOf(record, place)));
    return isSheetField(place) ? words.fields[place] : place;
  };
  return (
    <Stack id={id} gap={2} miw={150} maw={360}>
      {faults.slice(0, shown).map((fault) => (
        <Text key={sentenceOf(fault)} size="sm" c="var(--mantine-color-error)">
          {fault.column !== null && `${label(fault.column)}: `}
          {words.rowFault(fault)}
        </Text>
      ))}
      {faults.length > shown && <Text size="sm">{words.rows.moreFaults(number(faults.length - shown))}</Text>}
    </Stack>
  );
}
