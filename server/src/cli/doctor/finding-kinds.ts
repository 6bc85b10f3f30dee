export type Severity = 'ok' | 'warning' | 'error';

/** The texts of a finding. Every function receives the fields of the finding. */
export interface Kind<Fields> {
  readonly check: string;
  readonly severity: Severity;
  found(fields: Fields): string;
  /** Advice to the operator; null if the severity is `ok`. */
  readonly todo: ((fields: Fields) => string) | null;
}

export type Text<Fields> = string | ((fields: Fields) => string);

export const toFunction = <Fields>(text: Text<Fields>) => (typeof text === 'string' ? () => text : text);

export function ok<Fields = object>(check: string, found: Text<Fields>): Kind<Fields> {
  return { check, severity: 'ok', found: toFunction(found), todo: null };
}

export function warning<Fields = object>(
  check: string,
  found: Text<Fields>,
  todo: Text<Fields>,
): Kind<Fields> {
  return { check, severity: 'warning', found: toFunction(found), todo: toFunction(todo) };
}

export function error<Fields = object>(check: string, found: Text<Fields>, todo: Text<Fields>): Kind<Fields> {
  return { check, severity: 'error', found: toFunction(found), todo: toFunction(todo) };
}
