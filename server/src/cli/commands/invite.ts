import type { Anagrafe, FieldError, InviteRecord, JobInvitation, UserOfPrincipal } from '@anagrafe/client';
import { sendInParts } from '@anagrafe/importer';
import { Command, Option } from 'commander';
import { type ConnectionOptions, reach, withConnection } from '../connection.ts';
import { type InvitationFileOptions, InvitationFiles, issueCodes } from '../invitation-files.ts';
import { type Problem, selectUsers, type UserSelection } from '../invited-users.ts';
import { userKeys, withLookup } from '../lookup.ts';
import { counted, grouped, readCount } from '../output/format.ts';
import { LiveLine } from '../output/live-line.ts';
import { exitCodes, print, tell } from '../output/output.ts';

interface InviteOptions extends ConnectionOptions, Omit<UserSelection, 'names'>, InvitationFileOptions {
  readonly resend?: boolean;
  readonly perMinute?: number;
  readonly job?: string;
  readonly email?: boolean;
  readonly dryRun?: boolean;
  readonly json?: boolean;
}

export function inviteCommand(): Command {
  const command = new Command('invite')
    .argument('[users...]', 'usernames, email addresses or IDs of users')
    .description(
      'invite users to choose their passwords: by mail, with codes in a file, or on printed sheets',
    )
    .option('--file <file>', 'invite the users of a CSV, XLSX, JSON or NDJSON file with a column Username')
    .option(
      '--principal <principal>',
      'invite the invited users of this principal (ID or external key) again',
    )
    .option('--resend', 'invite all users again that were invited and have not set a password yet')
    .addOption(
      new Option('--state <state>', 'with --resend: only users whose last mail has this state').choices([
        'failed',
        'stopped',
      ]),
    )
    .addOption(
      new Option(
        '--job <id>',
        'issue the codes of a job that has invited users with Invite "code"',
      ).conflicts(['dryRun', 'email']),
    )
    .addOption(new Option('--email', 'send each user a mail with a link').conflicts(['codes', 'sheets']))
    .option('--per-minute <mails>', 'with --email: maximum number of mails per minute', readCount)
    .option('--codes <file>', 'write the codes to this CSV file, readable only by its owner')
    .option(
      '--sheets <file>',
      'write a page to print for each user to this HTML file, readable only by its owner',
    )
    .addOption(
      new Option('--sheet-language <language>', 'language of the sheets of users without a language')
        .choices(['en', 'it'])
        .default('en'),
    )
    .option('--dry-run', 'show how many users would be invited, and stop')
    .option('--json', 'print the result as JSON');
  return withConnection(withLookup(command, userKeys, '[users...]'))
    .addHelpText(
      'after',
      `
Select the users in one way: by name, --file, --principal, --resend or --job. A code can be used once. The password that
a user has stays valid until the user chooses another one. A new code ends the earlier one of its user, also if that was
mailed or printed. Codes are written to the files alone, never to the terminal. Delete the files when you have handed
out the codes. If the files are lost, run the command again. Sheets have the name and the colour in ANAGRAFE_BRAND_NAME
and ANAGRAFE_BRAND_COLOR, which are settings of this command too.
The exit code is 0 if all users were invited, 3 if some were not, 1 after another error.

Examples:
  anagrafe invite mario.rossi --sheets mario.html
  anagrafe invite --principal C-1001 --codes codes.csv --sheets sheets.html
  anagrafe invite --resend --email --dry-run
  anagrafe invite --resend --email --state failed --per-minute 100`,
    )
    .action(invite);
}

async function invite(names: readonly string[], options: InviteOptions, command: Command): Promise<void> {
  requireChoices(names, options, command);
  const { anagrafe, config } = await reach(options);
  const files = options.dryRun ? null : await InvitationFiles.create(options, config);
  try {
    const { users, problems } = await usersToInvite(names, options, anagrafe);
    const sent =
      options.job === undefined
        ? await send(users, options, anagrafe)
        : { jobs: [options.job], problems: [] };
    const issued = options.email ? [] : await issueCodes(sent.jobs, anagrafe);
    await files?.complete(issued);
    const sendable = users.length - sent.problems.length;
    report({ ...sent, problems: [...problems, ...sent.problems], sendable, issued }, options);
  } finally {
    await files?.discard();
  }
}

function requireChoices(names: readonly string[], options: InviteOptions, command: Command): void {
  const { file, principal, resend, job, email, codes, sheets, dryRun, state, perMinute } = options;
  const ways = [names.length > 0, file, principal, resend, job].filter(
    (way) => way !== undefined && way !== false,
  );
  if (ways.length !== 1)
    command.error('error: select the users in one way: by name, --file, --principal, --resend or --job.');
  if (!email && codes === undefined && sheets === undefined && !dryRun)
    command.error('error: choose how the users get their codes: --email, --codes or --sheets.');
  if (state !== undefined && !resend) command.error('error: --state needs --resend.');
  if (perMinute !== undefined && !email) command.error('error: --per-minute needs --email.');
}

/** The users to send, and those that were selected and cannot be sent. */
interface Selected {
  readonly users: readonly UserOfPrincipal[];
  readonly problems: readonly Problem[];
}

async function usersToInvite(
  names: readonly string[],
  options: InviteOptions,
  anagrafe: Anagrafe,
): Promise<Selected> {
  if (options.job !== undefined) return { users: [], problems: [] };
  const { users, problems } = await selectUsers({ ...options, names }, anagrafe);
  const isReachable = ({ Email }: UserOfPrincipal) => !options.email || Email !== null;
  const others = users.filter((user) => !isReachable(user));
  const withoutAddress = others.map(({ Username }) => ({
    of: Username,
    message: 'The user has no email address.',
  }));
  return { users: users.filter(isReachable), problems: [...problems, ...withoutAddress] };
}

interface Sent {
  readonly jobs: readonly string[];
  readonly problems: readonly Problem[];
}

/** Invites users with one record each, so that one that cannot be invited does not hold up the others. */
async function send(
  users: readonly UserOfPrincipal[],
  options: InviteOptions,
  anagrafe: Anagrafe,
): Promise<Sent> {
  const Invite: InviteRecord['Invite'] = options.email ? 'email' : 'code';
  const jobs: string[] = [];
  const parts = await sendInParts(users, async (some) => {
    const records = some.map(({ ID, IRID }): InviteRecord => ({ ID: IRID, Users: [{ ID, Invite }] }));
    if (options.dryRun) {
      const { tuples } = await anagrafe.passwords.invite(records, { dryRun: true });
      return new Map(tuples.flatMap(({ Item3, Item5 }, at) => (Item3 ? [] : [[at, Item5] as const])));
    }
    const { job, errors } = await runJob(records, options, anagrafe);
    jobs.push(job);
    return errors;
  });
  const problems = parts.flatMap(({ items, answer, rejection }) =>
    items.flatMap(({ Username: of }, at) => {
      if (answer === null) return [{ of, message: rejection }];
      const found = Object.values(answer.get(at) ?? {}).flat();
      return found.length === 0 ? [] : [{ of, message: found.map(({ message }) => message).join(' ') }];
    }),
  );
  return { jobs, problems };
}

type ErrorsByPosition = ReadonlyMap<number, Readonly<Record<string, readonly FieldError[]>>>;

async function runJob(
  records: readonly InviteRecord[],
  { perMinute }: InviteOptions,
  anagrafe: Anagrafe,
): Promise<{ readonly job: string; readonly errors: ErrorsByPosition }> {
  const { ID: job } = await anagrafe.jobs.submit('invite', records, { perMinute });
  tell(`Submitted as job ${job}.`);
  const line = new LiveLine();
  const { RecordsFailed } = await anagrafe.jobs
    .wait(job, {
      pollMs: 500,
      onProgress: ({ RecordsDone: done, Records: total, RecordsFailed: failed }) =>
        line.show({ state: 'inviting', done, total, unit: 'users', failed }),
    })
    .finally(() => line.end());
  const failed = RecordsFailed === 0 ? [] : await anagrafe.jobs.failed(job);
  return { job, errors: new Map(failed.map(({ Position, FieldErrors }) => [Position, FieldErrors])) };
}

/** More problems than this are not printed. */
const shownProblems = 20;

const reasons = {
  deleted: 'deleted since.',
  disabled: 'disabled.',
  password_set: 'a password was set since.',
} as const satisfies Record<NonNullable<JobInvitation['Skipped']>, string>;

interface Result extends Sent {
  /** The number of users whose records were applied, or would be. */
  readonly sendable: number;
  readonly issued: readonly JobInvitation[];
}

function report({ sendable, jobs, problems, issued }: Result, options: InviteOptions): void {
  const { job, email, dryRun, json } = options;
  const withCode = issued.filter(({ Code }) => Code !== null);
  const invited = email || dryRun ? sendable : withCode.length;
  const selected = job === undefined ? sendable + problems.length : issued.length;
  const hasFiles = withCode.length > 0;
  const codesFile = (hasFiles && options.codes) || null;
  const sheetsFile = (hasFiles && options.sheets) || null;
  const skipped = Object.fromEntries(
    Object.keys(reasons).map((reason) => [reason, issued.filter(({ Skipped }) => Skipped === reason).length]),
  );
  if (problems.length > 0) process.exitCode = exitCodes.someFailed;
  if (json) {
    const counts = { dryRun: dryRun ?? false, selected, invited, skipped };
    print(JSON.stringify({ ...counts, problems, jobs, codesFile, sheetsFile }));
    return;
  }
  const of = `${grouped(invited)} of ${counted(selected, 'user')}`;
  tell(
    selected === 0 ? 'No user was selected.' : dryRun ? `Dry run: ${of} would be invited.` : `${of} invited.`,
  );
  for (const [reason, text] of Object.entries(reasons))
    if (skipped[reason]) tell(`  No code for ${counted(skipped[reason], 'user')}: ${text}`);
  for (const { of, message } of problems.slice(0, shownProblems)) tell(`  ${of}: ${message}`);
  if (problems.length > shownProblems) tell(`  … and ${grouped(problems.length - shownProblems)} more.`);
  if (dryRun) tell('Nothing was changed.');
  else if (email && invited > 0) tell('The mails are being sent.');
  const files = [codesFile, sheetsFile].filter((file) => file !== null);
  if (files.length === 0) return;
  tell(`The codes are in ${files.join(' and ')}. Earlier codes of these users have ended.`);
  tell('Keep the codes safe, and delete the files when you have handed them out.');
  if (sheetsFile !== null && withCode.some((user) => user.URL === null))
    tell('The sheets have no link, because the service has no ANAGRAFE_PUBLIC_URL.');
}
