import { type Fault, RecordError } from '@anagrafe/client';

/** What the service has against a record, by place. */
export type Faults = Readonly<Record<string, readonly Fault[]>>;

export function faultsOf(error: Error | null): Faults {
  return error instanceof RecordError ? error.faults : {};
}

/** The sentences that belong beside one field; undefined where there are none. */
export function sentenceAt(faults: Faults, place: string): string | undefined {
  return faults[place]?.map(({ message }) => message).join(' ');
}

/** The sentences that belong beside none of these fields. */
export function elsewhere(faults: Faults, places: readonly string[]): string[] {
  return Object.entries(faults)
    .filter(([place]) => !places.includes(place))
    .flatMap(([, found]) => found.map(({ message }) => message));
}

/** Whether there is more to say of a failure than what stands beside the fields. */
export function isBesideFields(error: Error, places: readonly string[]): boolean {
  const faults = faultsOf(error);
  return Object.keys(faults).length > 0 && elsewhere(faults, places).length === 0;
}
