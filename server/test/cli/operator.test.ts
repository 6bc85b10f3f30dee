import { databaseSettings, inProcess } from '@anagrafe/testing/command';
import { beforeEach, describe, expect, it } from 'vitest';

describe('the operator command', () => {
  let settings: Record<string, string>;
  beforeEach(async () => {
    settings = await databaseSettings();
  });
  const run = (...args: string[]) => inProcess(['operator', ...args], settings);
  const create = (email: string, ...more: string[]) =>
    run('create', email, '--name', 'Anna Bianchi', '--role', 'admin', ...more);

  it('creates an operator and prints its code once, to standard output only', async () => {
    const { code, stdout, stderr } = await create('anna@example.com');
    expect(code).toBe(0);
    const [, shown = ''] = /^Operator: anna@example\.com\nCode: (\S+)\n$/.exec(stdout) ?? [];
    expect(shown).not.toBe('');
    expect(stderr).not.toContain(shown);
    const listed = await run('list', '--json');
    expect(listed.stdout).not.toContain(shown);
    expect(JSON.parse(listed.stdout)).toMatchObject([
      { email: 'anna@example.com', name: 'Anna Bianchi', role: 'admin', state: 'invited' },
    ]);
  });

  it('resets and disables an operator, found without regard to case', async () => {
    const created = JSON.parse((await create('anna@example.com', '--json')).stdout);
    const reset = JSON.parse((await run('reset', 'ANNA@example.com', '--json')).stdout);
    expect(reset.id).toBe(created.id);
    expect(reset.code).not.toBe(created.code);
    expect((await run('disable', 'anna@example.com')).stdout).toContain('disabled');
    expect(JSON.parse((await run('reset', 'anna@example.com', '--json')).stdout).state).toBe('invited');
  });

  it('refuses a taken address, an invalid one and an unknown operator', async () => {
    await create('anna@example.com');
    for (const outcome of [
      await create('Anna@Example.com'),
      await create('not an address'),
      await run('disable', 'bruno@example.com'),
    ]) {
      expect(outcome.code).toBe(1);
      expect(outcome.stdout).toBe('');
      expect(outcome.stderr).not.toBe('');
    }
  });
});
