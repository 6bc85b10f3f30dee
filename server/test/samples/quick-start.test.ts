import { spawn } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { environment, listen, outcomeOf } from '../setup/heard.ts';
import { startTestService } from '../setup/service.ts';
import { masterKey } from '../setup/store.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const usualPort = '8420';

/** Reads the code blocks of docs/quick-start.md: commands, each with the output that the document shows for it. */
function steps(): { typed: string; printed: string[] }[] {
  const text = readFileSync(join(root, 'docs/quick-start.md'), 'utf8');
  const found: { typed: string; printed: string[] }[] = [];
  for (const [, language, block = ''] of text.matchAll(/^```(\w*)\n(.*?)^```$/gms)) {
    if (language === 'sh') found.push({ typed: block, printed: [] });
    else found.at(-1)?.printed.push(...block.trimEnd().split('\n'));
  }
  return found;
}

it('the commands of docs/quick-start.md print the output that the document shows', async () => {
  // This service replaces `npm start`, the first step, and hashes the 1,000 passwords at the low cost of tests.
  const service = await startTestService();
  const { port } = new URL(service.url);
  const settings = {
    ANAGRAFE_DATABASE_URL: service.config.DATABASE_URL ?? '',
    ANAGRAFE_MASTER_KEY: masterKey,
    ANAGRAFE_PORT: port,
  };
  const folder = mkdtempSync(join(tmpdir(), 'anagrafe-desk-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  symlinkSync(join(root, 'docs'), join(folder, 'docs'));
  const [start, ...rest] = steps();
  expect(start?.typed).toBe('npm start\n');
  expect(rest.length).toBeGreaterThan(4);
  for (const { typed, printed } of rest) {
    // This shell function replaces npx, which takes seconds to start.
    const npx = `npx() { shift 3; "${process.execPath}" "${root}server/bin/anagrafe.cjs" "$@"; }\n`;
    const child = spawn('bash', ['-c', npx + typed.replaceAll(usualPort, port)], {
      cwd: folder,
      env: environment(settings),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const { stdout, stderr, code } = await outcomeOf(listen(child));
    expect([0, 3], stderr).toContain(code);
    const output = withoutDuration(`${stdout}${stderr}`.replaceAll(port, usualPort)).split('\n');
    for (const line of printed) expect(output).toContain(withoutDuration(line));
  }
  const users = await fetch(`${service.url}/api/sync/v1/irs/users`, { method: 'POST' });
  expect(users.status).toBe(401);
});

/** Removes the estimated duration, which differs from machine to machine. */
function withoutDuration(text: string): string {
  return text.replace(/in about .*?\. Nothing/, 'in about a while. Nothing');
}
