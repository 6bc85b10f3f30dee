import { type Fields, usersOf } from '../fields/fields.ts';
import type { OperationName } from '../records/operation.ts';
import type { Outcome } from '../records/outcome.ts';
import { withoutSecrets } from './retry-kit.ts';

/** The outcome of a record that was not applied, as it is kept. */
export interface KeptRefusal {
  readonly position: number;
  readonly users: number;
  readonly outcome: Outcome;
  readonly record: Fields | null;
}

export async function keptRefusal(
  position: number,
  operation: OperationName,
  fields: Fields,
  outcome: Outcome,
): Promise<KeptRefusal> {
  const record = await withoutSecrets(operation, fields);
  return { position, users: usersOf(fields).length, outcome, record };
}
