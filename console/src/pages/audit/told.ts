import type { JournalRow } from '@anagrafe/client';
import { useClients } from '../../api/clients.ts';
import { useFormats } from '../../language/formats.ts';
import { useWords } from './words.ts';

/** What a sentence about a row is made of. */
export interface Told {
  readonly principal: number | null;
  /** How many users. */
  readonly registered: number;
  readonly reset: number;
  readonly details: Readonly<Record<string, unknown>>;
  /** The name of the client that the row is about. */
  readonly client: string;
  /** A number as it is written. */
  n(value: number): string;
  /** A number among the details, as it is written. */
  count(name: string): string;
}

/** A row in words; one of an action that is not known by the name of that. */
export function useTold(): (row: JournalRow) => string {
  const sentences: Readonly<Record<string, (told: Told) => string>> = useWords().told;
  const { number: n } = useFormats();
  const clients = useClients().data;
  return ({ Action, IRID, Registered, Reset, Details }) => {
    const details = Details ?? {};
    const client = clients?.find(({ ID }) => ID === details.client)?.Name ?? String(details.publicKey);
    return (
      sentences[Action]?.({
        principal: IRID,
        registered: Registered?.length ?? 0,
        reset: Reset?.length ?? 0,
        details,
        client,
        n,
        count: (name) => n(Number(details[name] ?? 0)),
      }) ?? Action
    );
  };
}
