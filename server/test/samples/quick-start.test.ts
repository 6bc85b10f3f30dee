import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it, onTestFinished } from 'vitest';
import { dataFolder, serve } from '../cli/command.ts';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const usualPort = '8420';

/** The blocks of the document: what is to be typed, each with what is printed below it. */
function steps(): { typed: string; printed: string[] }[] {
  const text = readFileSync(join(root, 'docs/quick-start.md'), 'utf8');
  const found: { typed: string; printed: string[] }[] = [];
  for (const [, language, block = ''] of text.matchAll(/^```(\w*)\n(.*?)^```$/gms)) {
    if (language === 'sh') found.push({ typed: block, printed: [] });
    else found.at(-1)?.printed.push(...block.trimEnd().split('\n'));
  }
  return found;
}

it('the quick start does what it says, typed as it stands', async () => {
  const settings = { ANAGRAFE_DATA: dataFolder() };
  const service = await serve(settings);
  const { port } = new URL(service.url);
  const desk = mkdtempSync(join(tmpdir(), 'anagrafe-desk-'));
  onTestFinished(() => rmSync(desk, { recursive: true, force: true }));
  symlinkSync(join(root, 'docs'), join(desk, 'docs'));
  const [start, ...rest] = steps();
  expect(start?.typed).toBe('npm start\n');
  expect(rest.length).toBeGreaterThan(4);
  for (const { typed, printed } of rest) {
    // As npx would, without the seconds that it takes.
    const npx = `npx() { shift 3; "${process.execPath}" "${root}server/bin/anagrafe.cjs" "$@"; }\n`;
    const { stdout, stderr, status } = spawnSync('bash', ['-c', npx + typed.replaceAll(usualPort, port)], {
      cwd: desk,
      encoding: 'utf8',
      env: { ...process.env, ...settings, ANAGRAFE_PORT: port },
    });
    expect([0, 3], stderr).toContain(status);
    const said = steady(`${stdout}${stderr}`.replaceAll(port, usualPort)).split('\n');
    for (const line of printed) expect(said).toContain(steady(line));
  }
  const users = await fetch(`${service.url}/api/sync/v1/irs/users`, { method: 'POST' });
  expect(users.status).toBe(401);
});

/** How long it takes is another matter on every machine. */
function steady(text: string): string {
  return text.replace(/in about .*?\. Nothing/, 'in about a while. Nothing');
}
