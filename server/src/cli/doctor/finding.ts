import { ConfigError } from '../../config.ts';
import { EngineError } from '../../engine/engine.ts';
import { knownTrouble } from '../output.ts';

export type FindingState = 'ok' | 'warn' | 'fail';

/** What a check came to. */
export interface Finding {
  readonly check: string;
  readonly state: FindingState;
  readonly found: string;
  /** Null where all is right. */
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

/** What would stop the service too; its message says what is wrong and, behind that, what to do. */
export function failure(check: string, error: unknown, todo: string): Finding {
  const message = knownTrouble(error);
  if (message === undefined) throw error;
  const ours = error instanceof EngineError || error instanceof ConfigError;
  const [, found, advice] = (ours ? /^(.*): (.*)$/s : /^(.*?)\. ([A-Z].*)$/s).exec(message) ?? [];
  return fail(check, found ?? message, advice ?? todo);
}
