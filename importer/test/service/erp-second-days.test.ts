import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { inProcess } from '@anagrafe/testing/command';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { days, type Model } from './erp-second-days.ts';

interface Report {
  readonly failed: readonly { readonly line: number; readonly message: string }[];
  readonly leftOutUsers: readonly { readonly line: number }[];
  readonly missingPrincipals: readonly { readonly ExternalKey: string | null }[];
  readonly leftOut: { readonly lines: readonly number[] };
  readonly warnings: readonly { readonly code: string; readonly rows: number }[];
}

let service: TestService;
let folder: string;
const model: Model = {};

beforeAll(async () => {
  service = await startTestService();
  folder = mkdtempSync(join(tmpdir(), 'anagrafe-erp-'));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

async function stored(): Promise<Model> {
  const rows = await service.database.query<{ key: string; company: Model[string] }>(
    `select external_key as key, json_build_object('name', denomination, 'vat', vatnumber, 'state', state, 'users', (
              select json_object_agg(username, json_build_object('email', email, 'state', users.state))
                from anagrafe.users where principal_id = principals.id)) as company
       from anagrafe.principals`,
  );
  return Object.fromEntries(rows.map(({ key, company }) => [key, company]));
}

for (const [index, day] of days.entries()) {
  it(`day ${index + 1}: the store equals the model after ${day.title}`, async () => {
    const path = join(folder, `day${index + 1}.csv`);
    writeFileSync(path, day.file);
    const options = ['--generate-passwords', join(folder, `passwords${index + 1}.csv`), '--yes', '--json'];
    const { code, stdout, stderr } = await inProcess(['sync', path, ...day.options, ...options], {
      ANAGRAFE_URL: service.url,
    });
    const report = stdout === '' ? null : (JSON.parse(stdout) as Report);
    day.change(model);
    expect(await stored()).toEqual(model);
    expect({
      code,
      failed: report
        ? [...report.failed, ...report.leftOutUsers].map(({ line }) => line).toSorted((a, b) => a - b)
        : [],
      leftOut: report?.leftOut.lines ?? [],
      repeated: report?.warnings.find(({ code: found }) => found === 'ROW_REPEATED')?.rows ?? 0,
      missing: report?.missingPrincipals.map(({ ExternalKey }) => ExternalKey) ?? [],
      stderr: code === 1 ? expect.stringMatching(/./) : stderr,
    }).toEqual({
      code: day.exitCode,
      failed: day.failed,
      leftOut: day.leftOut ?? [],
      repeated: day.repeated ?? 0,
      missing: day.missing ?? [],
      stderr,
    });
  });
}
