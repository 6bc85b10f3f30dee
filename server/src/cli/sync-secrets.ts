import {
  type GeneratedPasswords,
  type PlannedCall,
  registeredRows,
  type SyncPlan,
  type SyncRecord,
} from '@anagrafe/importer';
import { writePasswords } from '@anagrafe/importer/node';
import { commandLine } from '../lib/operator-error.ts';
import { type Connection, type ConnectionOptions, connectionArguments } from './connection.ts';
import { inFolder, shortPath } from './file-report.ts';
import { pathBeside } from './import-file.ts';
import { writeCodes } from './invitation-files.ts';
import { quotedIfNeeded } from './output/format.ts';
import { tell } from './output/output.ts';

interface SecretPaths {
  readonly passwordsPath: string | null;
  readonly codesPath: string | null;
}

/** The files of a sync with the generated passwords, or with the codes, of the users that it registers. */
export class SyncSecrets {
  readonly #paths: SecretPaths;
  readonly #plan: SyncPlan;
  readonly #passwords: GeneratedPasswords;
  readonly #separator: string;
  readonly #connection: Pick<Connection, 'anagrafe' | 'config'>;
  #passwordsFile: string | null = null;
  #codesFile: string | null = null;

  constructor(
    paths: SecretPaths,
    plan: SyncPlan,
    passwords: GeneratedPasswords,
    separator: string,
    connection: Pick<Connection, 'anagrafe' | 'config'>,
  ) {
    this.#paths = paths;
    this.#plan = plan;
    this.#passwords = passwords;
    this.#separator = separator;
    this.#connection = connection;
  }

  /** The paths of the files that were written. */
  get files() {
    return { passwordsFile: this.#passwordsFile, codesFile: this.#codesFile };
  }

  /** Writes the passwords before the users exist, so that an interruption loses none. */
  async create(): Promise<void> {
    await this.#writePasswords(registeredBy(this.#plan.calls));
  }

  /** Writes the passwords and issues the codes of the users that were registered. */
  async complete(refused: readonly SyncRecord[], jobs: readonly string[]): Promise<void> {
    const numbers = new Set(refused.flatMap(({ members }) => members).map(({ row }) => row.number));
    const users = registeredBy(this.#plan.calls).filter(({ number }) => !numbers.has(number));
    const path = this.#paths.passwordsPath;
    if ((await this.#writePasswords(users)) > 0 && path !== null) {
      this.#passwordsFile = path;
      tell(`The generated passwords are in ${shortPath(path)}. Keep this file safe.`);
    }
    await this.#writeCodes(jobs);
  }

  /** Writes those of the users of the calls that were applied before the plan did not hold any more. */
  async keep(applied: readonly PlannedCall[], jobs: readonly string[]): Promise<void> {
    const path = this.#paths.passwordsPath;
    const count = await this.#writePasswords(registeredBy(applied));
    if (path !== null)
      tell(
        count > 0
          ? `The generated passwords of the part that was applied are in ${shortPath(path)}. Move this file before you run the command again.`
          : `No generated password is in use. ${shortPath(path)} was removed.`,
      );
    await this.#writeCodes(jobs.slice(0, applied.length));
  }

  /** Says after an interruption where the passwords are, and how to get the codes. */
  explain(jobs: readonly string[], options: ConnectionOptions): void {
    const { passwordsPath, codesPath } = this.#paths;
    if (passwordsPath !== null)
      tell(
        `The generated passwords are in ${shortPath(passwordsPath)}, also those of users that were not registered. Move this file before you run the command again.`,
      );
    if (codesPath === null || this.#codesFile !== null || jobs.length === 0) return;
    tell('To issue the codes of the users that were invited:');
    for (const [index, job] of jobs.entries()) {
      const path = index === 0 ? codesPath : pathBeside(codesPath, String(index + 1));
      const command = commandLine(`invite --job ${job} --codes ${quotedIfNeeded(inFolder(shortPath(path)))}`);
      tell(`  ${[command, ...connectionArguments(options)].join(' ')}`);
    }
  }

  /** Returns the number of passwords. */
  async #writePasswords(rows: ReturnType<typeof registeredRows>): Promise<number> {
    const path = this.#paths.passwordsPath;
    const generated = rows.filter(({ number }) => this.#passwords.has(number));
    if (path !== null) await writePasswords(path, generated, this.#passwords, this.#separator);
    return generated.length;
  }

  async #writeCodes(jobs: readonly string[]): Promise<void> {
    const path = this.#paths.codesPath;
    if (path !== null && jobs.length > 0) this.#codesFile = await writeCodes(path, jobs, this.#connection);
  }
}

function registeredBy(calls: readonly PlannedCall[]) {
  return calls.flatMap(({ records }) => records).flatMap(registeredRows);
}
