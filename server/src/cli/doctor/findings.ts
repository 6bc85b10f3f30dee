import { capitalize, type OperatorProblem } from '../../lib/operator-error.ts';
import { operatorProblem } from '../output/output.ts';
import { catalog, type FieldsOf, type FindingCode } from './finding-catalog.ts';
import type { Severity } from './finding-kinds.ts';

export interface Finding {
  /** The name of the check, such as `disk space`. Several findings may have the same. */
  readonly check: string;
  readonly severity: Severity;
  readonly code: string;
  readonly fields: Readonly<Record<string, unknown>>;
}

export interface FindingText {
  readonly found: string;
  /** Advice to the operator; null if the severity is `ok`. */
  readonly todo: string | null;
}

/** Creates a finding of the catalog, which determines its check and severity. */
export function finding<Code extends FindingCode>(
  code: Code,
  ...[fields]: object extends FieldsOf<Code> ? [] : [FieldsOf<Code>]
): Finding {
  const { check, severity } = catalog[code];
  return { check, severity, code, fields: { ...(fields as object | undefined) } };
}

/** Creates the finding of a problem that was thrown. `todo` is the advice if the problem has none. */
export function problemFinding(
  check: string,
  { code, problem, advice }: OperatorProblem,
  todo: string,
): Finding {
  return { check, severity: 'error', code, fields: { problem, advice: advice ?? todo } };
}

/**
 * Converts an error that would also stop the service into a finding.
 *
 * @throws the error itself if it is unknown.
 */
export function errorFinding(check: string, error: unknown, todo: string): Finding {
  const problem = operatorProblem(error);
  if (problem === undefined) throw error;
  return problemFinding(check, problem, todo);
}

export function describeFinding({ code, fields }: Finding): FindingText {
  if ('problem' in fields)
    return { found: String(fields.problem), todo: capitalize(String(fields.advice ?? '')) };
  const { found, todo } = catalog[code as FindingCode];
  // The function `finding` has checked that the fields are those of the code.
  return { found: found(fields as never), todo: todo?.(fields as never) ?? null };
}
