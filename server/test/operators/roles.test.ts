import { browserOf } from '@anagrafe/testing/console';
import { asOperator, operator } from '@anagrafe/testing/operators';
import { startTestService, type TestService } from '@anagrafe/testing/service';
import { beforeAll, expect, it } from 'vitest';
import { roles } from '../../src/clients/permissions.ts';

let service: TestService;

beforeAll(async () => {
  service = await startTestService({ ANAGRAFE_REQUIRE_SECOND_FACTOR: 'false' });
});

/** Replaces the parameters of a path by IDs that do not exist. */
function pathOf(template: string): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    if (name === 'publicKey') return 'agp_nobody';
    const numbered =
      template.includes('/webhooks/{id}') || /\/(users|operators|mails)\/\{id\}/.test(template);
    return name === 'position' || (name === 'id' && numbered)
      ? '999999'
      : '00000000-0000-0000-0000-000000000000';
  });
}

it('decides by the role about every route, as docs/roles.md lists', async () => {
  const response = await fetch(`${service.url}/openapi.json`);
  const { paths } = (await response.json()) as { paths: Record<string, Record<string, unknown>> };
  const browse = browserOf(service);
  const rows: string[] = [];
  const sessions = new Map<string, Record<string, string>>();
  for (const role of roles) {
    await operator(service, `${role}@example.com`, role);
    sessions.set(role, await asOperator(service, `${role}@example.com`));
  }
  for (const [path, methods] of Object.entries(paths).toSorted(([one], [other]) => (one < other ? -1 : 1))) {
    if (!/^\/(api|admin)\//.test(path)) continue;
    for (const method of Object.keys(methods).toSorted()) {
      const call = `${method.toUpperCase()} ${pathOf(path)}`;
      const body = ['post', 'patch', 'put'].includes(method) ? {} : undefined;
      const allowed: string[] = [];
      for (const role of roles) {
        const { status } = await browse(call, sessions.get(role), body);
        expect(status, `${call} as ${role}`).toBeLessThan(500);
        expect(status, `${call} as ${role}`).not.toBe(429);
        if (status !== 401 && status !== 403) allowed.push(role);
      }
      rows.push(
        `| \`${method.toUpperCase()} ${path}\` | ${roles.map((role) => (allowed.includes(role) ? 'yes' : '–')).join(' | ')} |`,
      );
    }
  }
  const table = [`| route | ${roles.join(' | ')} |`, `| --- |${' --- |'.repeat(roles.length)}`, ...rows];
  const page = `# Routes by role\n\nWhat each [role](operators.md#roles) of an operator may call. A test writes this page from the answers of the service.\n\n${table.join('\n')}\n`;
  await expect(page).toMatchFileSnapshot('../../../docs/roles.md');
});
