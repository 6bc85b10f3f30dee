import type { Tuple } from '@anagrafe/client';
import { List, Text } from '@mantine/core';
import { useFormats } from '../../language/formats.ts';
import { usePlaceInWords } from './place.ts';
import { useOutcomeWords } from './words.ts';

/** A record may have a thousand users, each with its fault. */
const shown = 20;

/** Why a record was not applied: the sentence about it, and each fault by its place in words. */
export function Faults({ tuple }: { tuple: Tuple }) {
  const { tuples } = useOutcomeWords();
  const { number } = useFormats();
  const inWords = usePlaceInWords();
  const places = Object.entries(tuple.Item5);
  // Where there is one fault, the sentence about the record is often the same.
  const said = places.some(([, faults]) => faults.some(({ message }) => message === tuple.Item4));
  return (
    <>
      {!said && <Text size="sm">{tuple.Item4}</Text>}
      {places.length > 0 && (
        <List size="sm" mt={said ? 0 : 4} spacing={2}>
          {places.slice(0, shown).map(([place, faults]) => (
            <List.Item key={place}>
              <Text span size="sm" fw={600}>
                {inWords(place)}
              </Text>
              {': '}
              {faults.map(({ message }) => message).join(' ')}{' '}
              <Text span size="xs" c="dimmed">
                {faults.map(({ code }) => code).join(', ')}
              </Text>
            </List.Item>
          ))}
        </List>
      )}
      {places.length > shown && (
        <Text size="xs" c="dimmed" mt={4}>
          {tuples.moreFaults(number(places.length - shown))}
        </Text>
      )}
    </>
  );
}
