import { basename } from 'node:path';

/** A problem that the operator of the service can fix. */
export interface OperatorProblem {
  /** Identifies the kind of problem, such as `port_in_use`. */
  readonly code: string;
  /** The problem in one line, without a final period. */
  readonly problem: string;
  /** The step that solves it; null if the problem names the step. */
  readonly advice: string | null;
}

interface Options extends ErrorOptions {
  readonly code: string;
  readonly advice?: string;
}

/** Thrown for a problem that the operator can fix. The message, problem and advice in one line, is shown unchanged. */
export class OperatorError extends Error implements OperatorProblem {
  override name = 'OperatorError';
  readonly code: string;
  readonly problem: string;
  readonly advice: string | null;

  constructor(problem: string, { code, advice, ...options }: Options) {
    super(inOneLine({ problem, advice: advice ?? null }), options);
    this.code = code;
    this.problem = problem;
    this.advice = advice ?? null;
  }
}

export function inOneLine({ problem, advice }: Pick<OperatorProblem, 'problem' | 'advice'>): string {
  return advice === null ? problem : `${problem}. ${capitalize(advice)}`;
}

/**
 * Returns a command for a hint, such as `anagrafe client list`, as the operator can run it: the plain name works only if
 * the program is installed, which shows in how this process was started.
 */
export function commandLine(args: string): string {
  const isInstalled = process.env.npm_command === undefined && basename(process.argv[1] ?? '') === 'anagrafe';
  return `${isInstalled ? 'anagrafe' : 'npx --no -- anagrafe'} ${args}`;
}

export function capitalize(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
