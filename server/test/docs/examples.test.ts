import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterTest } from '@anagrafe/testing/endings';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { masterKey } from '@anagrafe/testing/store';
import { until } from '@anagrafe/testing/until';
import { expect, it } from 'vitest';
import { difference, filled } from './answers.ts';
import { type Example, examplesOf, pages, readPage, root } from './pages.ts';
import { openTerminal } from './terminal.ts';

/** The port that the pages name. */
const usualPort = '8420';

/** Commands that a test cannot run: the service of the test replaces `npm start`. */
const notRun = /^(\w+=\S+ )*npm (start|test|run \w+)\b.*$|^git clone .*$/gm;

/** Writes the answers into the pages instead of comparing them: `npm run generate:docs`. */
const isWriting = process.env.WRITE_DOCS === '1';

const withExamples = pages.filter((path) => examplesOf(readPage(path)).length > 0);

it('the README has examples', () => {
  expect(withExamples).toContain('README.md');
});

if (isWriting) {
  it.each(withExamples)('the answers of %s are written into the page', async (path) => {
    const page = readPage(path);
    const examples = examplesOf(page);
    const [first, second] = [await runPage(examples), await runPage(examples)];
    const written = examples.reduceRight((text, { answer }, index) => {
      if (!answer) return text;
      const answerText = filled(answer, first[index] ?? '', second[index] ?? '');
      return text.slice(0, answer.start) + answerText + text.slice(answer.end);
    }, page);
    if (written !== page) writeFileSync(join(root, path), written);
  });
} else {
  it.each(withExamples)('the commands of %s print the answers that the page shows', async (path) => {
    const examples = examplesOf(readPage(path));
    const outputs = await runPage(examples);
    const differences = examples.flatMap(({ commands, answer }, index) => {
      const found = answer && difference(answer, outputs[index] ?? '');
      return found ? [`${commands.text}\n${found}`] : [];
    });
    expect(differences, 'write the answers with "npm run generate:docs"').toEqual([]);
  });
}

/** Runs the commands of a page on a new service in protected mode, and returns what each block prints. */
async function runPage(examples: readonly Example[]): Promise<string[]> {
  const settings = settingsOf(examples);
  const service = await startTestService(settings);
  afterTest(service.stop);
  const { port } = new URL(service.url);
  const terminal = openTerminal({
    ...settings,
    ANAGRAFE_DATABASE_URL: service.config.DATABASE_URL ?? '',
    ANAGRAFE_MASTER_KEY: masterKey,
    ANAGRAFE_PORT: port,
  });
  const outputs: string[] = [];
  for (const { commands, answer } of examples) {
    const script = commands.text.replace(notRun, '').replaceAll(usualPort, port);
    const asText = answer !== null && !['json', 'http'].includes(answer.language);
    const printed = await terminal.run(script, asText);
    expect(printed.failed, `${commands.text}\n${printed.stdout}${printed.stderr}`).toEqual([]);
    const refused = answer === null ? printed.statuses.filter((status) => status >= 400) : [];
    expect(refused, `${commands.text}\n${printed.stdout}`).toEqual([]);
    outputs.push(printed.stdout.replaceAll(port, usualPort));
    await until(() => isIdle(service));
  }
  return outputs;
}

/** Reads the settings in front of `npm start`: a page that needs some starts the service with them. */
function settingsOf(examples: readonly Example[]): Record<string, string> {
  const starts = examples.map(({ commands }) => /^((?:\w+=\S+ )+)npm start$/m.exec(commands.text)?.[1] ?? '');
  const assignments = starts.join('').trim().split(/\s+/).filter(Boolean);
  return Object.fromEntries(assignments.map((text) => text.split('=', 2) as [string, string]));
}

/** A person types the next command when jobs have ended and events can be read, so each block waits for that. */
async function isIdle({ database }: TestService): Promise<boolean> {
  const [row] = await database.query<{ busy: boolean }>(
    `select exists (select from anagrafe.calls where is_job and ended_at is null)
         or exists (select from anagrafe.audit_log where position is null) as busy`,
  );
  return row?.busy === false;
}
