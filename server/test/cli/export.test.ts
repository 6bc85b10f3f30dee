import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { dataFolder, expectOneLine, expectWrongUsage, inProcess } from '@anagrafe/testing/command';
import { startGateway } from '@anagrafe/testing/gateway';
import { importedUser } from '@anagrafe/testing/jobs';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, describe, expect, it } from 'vitest';

const settings = { ANAGRAFE_URL: '' };
let service: TestService;
let folder: string;

beforeAll(async () => {
  service = await startTestService();
  settings.ANAGRAFE_URL = service.url;
  folder = dataFolder();
  const { status } = await service.call('irs/insert', [
    { ExternalKey: 'C-1', Denomination: 'Rossi Srl', Users: [importedUser('mario'), importedUser('anna')] },
    { ExternalKey: 'C-2', Denomination: 'Bianchi Srl', Users: [importedUser('ugo')] },
  ]);
  expect(status).toBe(200);
});

const run = (...args: string[]) => inProcess(['export', ...args], settings);
const fileOf = (name: string) => join(folder, name);
const linesOf = (text: string) => text.trimEnd().split('\n');

describe('the export command', () => {
  it('prints NDJSON to standard output', async () => {
    const { code, stdout, stderr } = await run();
    expect([code, stderr]).toEqual([0, '']);
    const found = linesOf(stdout).map((line) => JSON.parse(line));
    expect(found.map(({ ExternalKey, Users }) => [ExternalKey, Users.length])).toEqual([
      ['C-1', 2],
      ['C-2', 1],
    ]);
    expect(stdout).not.toContain('PasswordHash');
  });

  it('writes a file that only its owner can read, in the format of its name', async () => {
    const file = fileOf('users.CSV');
    const { code, stdout, stderr } = await run(file);
    const text = readFileSync(file, 'utf8');
    expect([code, stdout, stderr]).toEqual([0, '', `Wrote ${Buffer.byteLength(text)} bytes to ${file}.\n`]);
    expect(linesOf(text)).toHaveLength(4);
    expect(statSync(file).mode & 0o777).toBe(0o600);
    expect(existsSync(`${file}.part`)).toBe(false);
    const other = fileOf('users.txt');
    expect((await run(other)).code).toBe(0);
    expect(linesOf(readFileSync(other, 'utf8')).map((line) => JSON.parse(line).ID)).toEqual([1, 2]);
  });

  it('exports one principal, in the format that is asked for', async () => {
    const byId = await run('--principal', '2', '--format', 'csv');
    expect(linesOf(byId.stdout)).toHaveLength(2);
    expect(byId.stdout).toContain('C-2,Bianchi Srl');
    const forSpreadsheets = await run('--principal', '2', '--format', 'spreadsheet');
    expect(forSpreadsheets.stdout).toBe(byId.stdout);
    const byKey = await run('--external-key', 'C-1');
    expect(linesOf(byKey.stdout).map((line) => JSON.parse(line).ExternalKey)).toEqual(['C-1']);
  });

  it('separates the cells of CSV as asked', async () => {
    for (const [separator, character] of [
      [';', ';'],
      ['tab', '\t'],
    ] as const) {
      const { stdout } = await run('--principal', '2', '--format', 'csv', '--separator', separator);
      expect(linesOf(stdout)[1]).toContain(`C-2${character}Bianchi Srl${character}`);
    }
  });

  it('includes password hashes with --hashes, and says so', async () => {
    const file = fileOf('hashes.ndjson');
    const { stderr } = await run(file, '--hashes', '--principal', '2');
    expect(stderr).toContain('The file contains password hashes.');
    const [principal] = linesOf(readFileSync(file, 'utf8')).map((line) => JSON.parse(line));
    expect(principal.Users[0].PasswordHash).toMatch(/^\$/);
  });

  it('prints the file, its format and its size with --json', async () => {
    const file = fileOf('json.csv');
    const { stdout, stderr } = await run(file, '--json');
    expect(stderr).toBe('');
    expect(JSON.parse(stdout)).toEqual({ file, format: 'csv', bytes: statSync(file).size });
  });

  it('does not overwrite a file without --force', async () => {
    const file = fileOf('kept.csv');
    writeFileSync(file, 'corrected by hand', { mode: 0o644 });
    expectWrongUsage(await run(file), /kept\.csv exists\. Choose another file, or use --force/);
    expect(readFileSync(file, 'utf8')).toBe('corrected by hand');
    expect((await run(file, '--force')).code).toBe(0);
    expect(readFileSync(file, 'utf8')).toContain('C-1');
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('leaves no file behind if the export fails', async () => {
    const file = fileOf('failed.csv');
    const gateway = await startGateway(service.url);
    const refused = {
      status: 403,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ statusCode: 403, errorCode: 'FORBIDDEN', message: 'No.', result: null }),
    };
    gateway.networkFaults = ['nothing', refused];
    expectOneLine(
      await inProcess(['export', file], { ANAGRAFE_URL: gateway.url }),
      /^anagrafe: No\. The API client of ANAGRAFE_KEY or --key-file lacks a scope/,
    );
    expect([existsSync(file), existsSync(`${file}.part`)]).toEqual([false, false]);
    expectOneLine(await run(join(folder, 'nowhere', 'x.csv')), /^anagrafe: .*file not found/);
  });

  it('refuses an unknown format', async () => {
    expectWrongUsage(await run('--format', 'ods'), /--format.*csv, xlsx, spreadsheet, ndjson/);
    expectWrongUsage(
      await run('--separator', ';'),
      /--separator is only for the formats csv and spreadsheet/,
    );
  });
});
