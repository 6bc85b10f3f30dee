import { ConfigError } from '../../config.ts';
import { EmbeddedPostgresError } from '../../embedded-postgres/embedded-postgres.ts';
import { operatorMessage } from '../output/output.ts';

export type FindingState = 'ok' | 'warn' | 'fail';

/** The result of one check. */
export interface Finding {
  readonly check: string;
  readonly state: FindingState;
  readonly found: string;
  /** Advice to the operator; null if the state is `ok`. */
  readonly todo: string | null;
}

export function ok(check: string, found: string): Finding {
  return { check, state: 'ok', found, todo: null };
}

export function warn(check: string, found: string, todo: string): Finding {
  return { check, state: 'warn', found, todo: sentence(todo) };
}

export function fail(check: string, found: string, todo: string): Finding {
  return { check, state: 'fail', found, todo: sentence(todo) };
}

function sentence(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/**
 * Converts an error that would also stop the service into a finding. Its message contains the problem, then the advice:
 * after a colon in errors of the service itself, as a second sentence in others. `todo` is the advice if it has none.
 *
 * @throws the error itself if it is unknown.
 */
export function failure(check: string, error: unknown, todo: string): Finding {
  const message = operatorMessage(error);
  if (message === undefined) throw error;
  const hasColon = error instanceof EmbeddedPostgresError || error instanceof ConfigError;
  const [, found, advice] = (hasColon ? /^(.*): (.*)$/s : /^(.*?)\. ([A-Z].*)$/s).exec(message) ?? [];
  return fail(check, found ?? message, advice ?? todo);
}
