import { expect, it } from 'vitest';
import { spaceFinding } from '../../src/cli/doctor/data-folder.ts';
import { clockFinding } from '../../src/cli/doctor/database.ts';
import { describeFinding, errorFinding, finding } from '../../src/cli/doctor/findings.ts';
import { examineExposure, filesFinding } from '../../src/cli/doctor/machine.ts';
import { StorageError } from '../../src/db/errors.ts';
import { ConfigError, readConfig } from '../../src/settings/config.ts';

const mebibyte = 1024 * 1024;

it('doctor warns of less than 1 GiB of free disk space and fails below 100 MiB', () => {
  expect(spaceFinding(1024 * mebibyte)).toEqual({
    check: 'disk space',
    severity: 'ok',
    code: 'disk_space_sufficient',
    fields: { freeBytes: 1024 * mebibyte },
  });
  expect(spaceFinding(1024 * mebibyte - 1).severity).toBe('warning');
  expect(spaceFinding(100 * mebibyte).code).toBe('disk_space_low');
  expect(spaceFinding(100 * mebibyte - 1)).toMatchObject({ severity: 'error', code: 'disk_space_critical' });
});

it('doctor describes the free disk space in GiB or MiB, with advice if it is low', () => {
  expect(describeFinding(spaceFinding(1024 * mebibyte))).toEqual({ found: '1.0 GiB free', todo: null });
  expect(describeFinding(spaceFinding(1024 * mebibyte - 1)).found).toBe('1023 MiB free');
  expect(describeFinding(spaceFinding(100 * mebibyte - 1))).toEqual({
    found: '99 MiB free',
    todo: expect.stringContaining('ANAGRAFE_DATA'),
  });
});

it('doctor warns if clocks differ by more than 2 s and fails if receivers would reject webhook timestamps', () => {
  expect([0, 2, 2.1, 300, 301].map((seconds) => clockFinding(seconds).severity)).toEqual([
    'ok',
    'ok',
    'warning',
    'warning',
    'error',
  ]);
  expect(describeFinding(clockFinding(77.4)).found).toContain('differ by 77 seconds');
});

it('doctor warns if the limit of open files is too low for 1,000 callers and the database', () => {
  expect(describeFinding(filesFinding(Number.POSITIVE_INFINITY, 10)).found).toBe('Unlimited');
  expect(filesFinding(65_536, 10)).toMatchObject({ severity: 'ok', fields: { limit: 65_536 } });
  const low = filesFinding(256, 10);
  expect(low).toMatchObject({ code: 'open_files_low', fields: { limit: 256, callers: 182 } });
  expect(describeFinding(low).found).toContain('182 concurrent connections');
});

it('doctor reports the code, the problem and the advice of an error that would stop the service', () => {
  const error = new StorageError('the database is a standby', {
    code: 'database_standby',
    advice: 'name the primary',
  });
  const found = errorFinding('database', error, 'Name another.');
  expect(found).toEqual({
    check: 'database',
    severity: 'error',
    code: 'database_standby',
    fields: { problem: 'the database is a standby', advice: 'name the primary' },
  });
  expect(describeFinding(found)).toEqual({ found: 'the database is a standby', todo: 'Name the primary' });
});

it('doctor keeps a colon or a period of a problem, and adds its own advice if the problem has none', () => {
  const error = new ConfigError('the key: it is in /srv/a; b. C', { code: 'master_key_invalid' });
  expect(describeFinding(errorFinding('master key', error, 'Restore it.'))).toEqual({
    found: 'the key: it is in /srv/a; b. C',
    todo: 'Restore it.',
  });
});

it('doctor throws an error that the operator cannot fix', () => {
  const error = new TypeError('a defect');
  expect(() => errorFinding('database', error, 'Name another.')).toThrow(error);
});

it('doctor describes a finding by its code and fields alone', () => {
  const stored = JSON.parse(JSON.stringify(finding('port_free', { host: '127.0.0.1', port: 8420 })));
  expect(describeFinding(stored).found).toBe('8420 on 127.0.0.1 is free; the service is not running');
});

it('doctor says how to let other machines call once an API client exists, and recognises a reverse proxy', () => {
  const exposure = (settings: Record<string, string>, hasClients: boolean) =>
    examineExposure(readConfig(settings), { hasClients });
  expect(exposure({}, false)).toMatchObject({ code: 'network_local', severity: 'ok' });
  const local = exposure({}, true);
  expect(local).toMatchObject({ code: 'network_local_only', severity: 'ok' });
  expect(describeFinding(local).found).toMatch(
    /^127\.0\.0\.1: reachable only from this machine\. .*ANAGRAFE_TRUST_PROXY.*ANAGRAFE_HOST=0\.0\.0\.0/,
  );
  const proxy = { ANAGRAFE_TRUST_PROXY: '127.0.0.1' };
  expect(exposure(proxy, true).code).toBe('network_behind_proxy');
  expect(exposure({ ...proxy, ANAGRAFE_HOST: '0.0.0.0' }, true).code).toBe('network_behind_proxy');
  expect(exposure({ ANAGRAFE_HOST: '0.0.0.0' }, true)).toMatchObject({
    code: 'network_unencrypted',
    severity: 'warning',
  });
});
