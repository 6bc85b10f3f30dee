import { resolve } from 'node:path';
import { describe, expect, it } from 'vitest';
import { newSecret } from '../../src/lib/secrets.ts';
import { ConfigError, prefix, readConfig, settingErrors, settings } from '../../src/settings/config.ts';
import type { Setting } from '../../src/settings/setting.ts';

function refusal(environment: Record<string, string>): string {
  try {
    readConfig(environment);
  } catch (error) {
    expect(error).toBeInstanceOf(ConfigError);
    return (error as Error).message;
  }
  throw new Error(`nothing was refused in ${Object.keys(environment)}`);
}

function shown<Name extends keyof typeof settings>(name: Name, value: string): string {
  const setting = settings[name] as Setting<unknown>;
  return setting.show(readConfig({ [prefix + name]: value })[name]);
}

describe('settings', () => {
  it('have the documented defaults', () => {
    expect(readConfig({})).toMatchObject({
      HOST: '127.0.0.1',
      PORT: 8420,
      DATABASE_URL: null,
      MASTER_KEY: null,
      FIRST_CLIENT: null,
      TRUST_PROXY: [],
      ALLOWED_HOSTS: [],
      LOG_LEVEL: 'info',
      REQUIRE_EMAIL: false,
      PASSWORD_MIN: 8,
      MAX_BODY_BYTES: 32 * 1024 * 1024,
      MAX_DEPTH: 8,
      MAX_RECORDS: 1000,
      MAX_USERS: 1000,
      MAX_JOB_RECORDS: 100_000,
      MAX_JOB_USERS: 100_000,
      JOB_DAYS: 30,
      IDEMPOTENCY_HOURS: 24,
      HASH_MEMORY_KIB: 19_456,
      HASH_PASSES: 2,
    });
  });

  it('are treated as not set if they are empty, as in a compose file', () => {
    const empty = Object.fromEntries(Object.keys(settings).map((name) => [prefix + name, '']));
    expect(readConfig(empty)).toEqual(readConfig({}));
  });

  it('are read only with the prefix ANAGRAFE_', () => {
    expect(readConfig({ PORT: '1', HOST: 'elsewhere', anagrafe_port: '2' }).PORT).toBe(8420);
  });

  it('accept the documented values', () => {
    const config = readConfig({
      ANAGRAFE_PORT: '0',
      ANAGRAFE_REQUIRE_EMAIL: 'true',
      ANAGRAFE_LOG_LEVEL: 'silent',
      ANAGRAFE_TRUST_PROXY: '10.0.0.0/8, 192.168.1.4,fd00::/8,::1',
      ANAGRAFE_DATABASE_URL: 'postgresql://u:p@db.example.com:5432/anagrafe?sslmode=require',
      ANAGRAFE_DATA: 'relative/data',
    });
    expect(config).toMatchObject({
      PORT: 0,
      REQUIRE_EMAIL: true,
      LOG_LEVEL: 'silent',
      TRUST_PROXY: ['10.0.0.0/8', '192.168.1.4', 'fd00::/8', '::1'],
      DATA: resolve('relative/data'),
    });
  });

  it('cannot be changed after they are read', () => {
    const config = readConfig({});
    expect(Object.isFrozen(config)).toBe(true);
    expect(() => Object.assign(config, { PORT: 1 })).toThrow(TypeError);
  });
});

describe('an invalid setting', () => {
  const wrong: Record<string, string[]> = {
    PORT: ['http', '-1', '65536', '80.5', '1e3', '0x50', ' 80', '80 ', '٨٠', '9'.repeat(400), 'NaN', '+80'],
    PASSWORD_MIN: ['7', '65', '0'],
    MAX_JOB_RECORDS: ['0', '1000001'],
    MAX_JOB_USERS: ['0', '1000001', '1e5'],
    JOB_DAYS: ['0', '3651'],
    IDEMPOTENCY_HOURS: ['0', '8761', '0.5'],
    HASH_MEMORY_KIB: ['19455', '64'],
    HASH_PASSES: ['1'],
    REQUIRE_EMAIL: ['yes', '1', 'TRUE', 'True'],
    LOG_LEVEL: ['verbose', 'INFO', 'toString'],
    TRUST_PROXY: [
      'true',
      'proxy.example.com',
      '10.0.0.0/33',
      '10.0.0.0/-1',
      '10.0.0/8',
      '10.0.0.0/',
      '10.0.0.0/8/8',
      'fd00::/129',
      '10.0.0.0/8,',
      ',',
      '010.0.0.1',
      'fe80::1%eth0',
    ],
    ALLOWED_HOSTS: ['https://erp', 'erp:80', '*', 'a b', '.erp', ','],
  };

  it.each(Object.entries(wrong))(
    'causes a message with its name, its value and the allowed values: %s',
    (name, values) => {
      const { takes } = settings[name as keyof typeof settings];
      for (const value of values) {
        expect(refusal({ [prefix + name]: value })).toBe(
          `ANAGRAFE_${name} is invalid: "${value}". Expected ${takes}.`,
        );
      }
    },
  );

  it('causes a message of one line without control characters', () => {
    expect(refusal({ ANAGRAFE_PORT: '80\n81' })).not.toContain('\n');
    expect(refusal({ ANAGRAFE_LOG_LEVEL: '\u001b[2Jinfo' })).not.toContain('\u001b');
  });

  it('causes a message without its value if that may contain a secret', () => {
    const secrets = {
      DATABASE_URL: ['mysql://root:hunter2@host/db', 'hunter2', 'postgres//user:hunter2@host'],
      FIRST_CLIENT: ['hunter2', 'public.hunter2', `hunter2 public.${newSecret()}`],
      MASTER_KEY: ['hunter2', `hunter2${'A'.repeat(36)}==`, `hunter2${'0'.repeat(57)}`],
    };
    for (const [name, values] of Object.entries(secrets)) {
      for (const value of values) {
        const message = refusal({ [prefix + name]: value });
        expect(message).toMatch(new RegExp(`^ANAGRAFE_${name} is invalid. Expected `));
        expect(message).not.toContain('hunter2');
      }
    }
  });

  it('is refused if its name is unknown, so that a typing error is detected', () => {
    for (const name of ['ANAGRAFE_PROT', 'ANAGRAFE_', 'ANAGRAFE_port', 'ANAGRAFE_toString']) {
      expect(refusal({ [name]: '80' })).toMatch(new RegExp(`^${name} is not a known setting`));
    }
  });

  it('is reported together with all other invalid settings, by name', () => {
    const faults = settingErrors({
      ANAGRAFE_PORT: 'x',
      ANAGRAFE_HOST: '::1',
      ANAGRAFE_PORTS: '1',
      ANAGRAFE_PASSWORD_MIN: '1',
    });
    expect([...faults.keys()].sort()).toEqual(['ANAGRAFE_PASSWORD_MIN', 'ANAGRAFE_PORT', 'ANAGRAFE_PORTS']);
    for (const [name, { message }] of faults) expect(message).toMatch(new RegExp(`^${name} is `));
    expect(settingErrors({ ANAGRAFE_PORT: '80', PATH: '/bin' }).size).toBe(0);
  });

  it('is refused if an origin of ANAGRAFE_ALLOWED_ORIGINS has a path or a slash at the end, with this reason', () => {
    for (const origin of ['https://portal.example.com/', 'https://portal.example.com/app'])
      expect(refusal({ ANAGRAFE_ALLOWED_ORIGINS: origin })).toMatch(
        /Expected origins without a path and without a slash at the end/,
      );
    const { ALLOWED_ORIGINS } = readConfig({ ANAGRAFE_ALLOWED_ORIGINS: 'https://portal.example.com' });
    expect(ALLOWED_ORIGINS).toEqual(['https://portal.example.com']);
  });

  it('is refused if ANAGRAFE_TRUST_PROXY covers every address, because any caller could forge its address', () => {
    for (const everyone of ['0.0.0.0/0', '::/0', '10.0.0.0/8,0.0.0.0/0', '0.0.0.0/1,128.0.0.0/1']) {
      expect(refusal({ ANAGRAFE_TRUST_PROXY: everyone })).toContain('ANAGRAFE_TRUST_PROXY');
    }
  });
});

describe('a secret setting', () => {
  it('is shown without its secret', () => {
    const secret = newSecret();
    expect(shown('FIRST_CLIENT', `deployment.${secret}`)).toBe('deployment.********');
    expect(shown('DATABASE_URL', 'postgres://user:hunter2@host:5432/db')).toBe(
      'postgres://user:********@host:5432/db',
    );
    expect(shown('MASTER_KEY', 'hunter2'.padEnd(43, 'A'))).toBe('********');
  });

  it('MASTER_KEY must be 32 bytes in base64 or hexadecimal, and is kept as given', () => {
    const read = (text: string) => readConfig({ ANAGRAFE_MASTER_KEY: text }).MASTER_KEY;
    const bytes = Buffer.alloc(32, 0xfb);
    for (const text of [bytes.toString('base64'), bytes.toString('base64url'), bytes.toString('hex')])
      expect(read(text)).toBe(text);
    expect(() => read(Buffer.alloc(31).toString('base64'))).toThrow(ConfigError);
    expect(() => read(Buffer.alloc(33).toString('base64'))).toThrow(ConfigError);
    expect(() => read(`${bytes.toString('base64')} `)).toThrow(ConfigError);
  });

  it('is shown without a secret in any part of its URL', () => {
    for (const url of [
      'postgres://user@host/db?password=hunter2',
      'postgres://host/db?user=u&password=hunter2&sslmode=require',
      'postgres://user:hun%20ter2@host/db?sslpassword=hunter2',
      'postgres:///db?host=/run/postgres&password=hunter2',
    ]) {
      expect(shown('DATABASE_URL', url)).not.toMatch(/hun(%20)?ter2/);
    }
  });

  it('FIRST_CLIENT must be long enough, with ASCII characters and a valid checksum', () => {
    const read = (pair: string) => readConfig({ ANAGRAFE_FIRST_CLIENT: pair }).FIRST_CLIENT;
    const made = `deployment.${newSecret()}`;
    const chosen = `my-erp.${'0123456789abcdef'.repeat(2)}`;
    expect([read(made), read(chosen)]).toEqual([made, chosen]);
    expect(() => read(`my-erp.${'0123456789abcdef'.repeat(2).slice(1)}`)).toThrow(ConfigError);
    expect(() => read(`my-erp.${'ü'.repeat(32)}`)).toThrow(ConfigError);
    expect(() => read(made.replace(/.$/, (last) => (last === 'x' ? 'y' : 'x')))).toThrow(ConfigError);
  });

  it.each([
    ['SMTP_URL', 'mail.example.com'],
    ['SMTP_URL', 'http://mail.example.com'],
    ['SMTP_URL', 'smtp://mail.example.com/inbox'],
    ['SMTP_URL', 'smtp://mail.example.com?pool=true'],
    ['SMTP_URL', 'smtp://mail.example.com#x'],
    ['MAIL_FROM', 'Anagrafe'],
    ['MAIL_FROM', 'a@example.com, b@example.com'],
    ['MAIL_FROM', 'Anagrafe <a@example.com>\r\nBcc: <b@example.com>'],
    ['MAIL_FROM', 'Ana\ngrafe <a@example.com>'],
    ['BRAND_COLOR', 'blue'],
    ['BRAND_COLOR', '#fff;background:url(//x)'],
    ['BRAND_NAME', 'Rossi\r\nBcc: a@example.com'],
  ])('refuse %s %j', (name, value) => {
    expect(refusal({ [prefix + name]: value })).toContain(`${prefix}${name} is invalid`);
  });

  it('accept a mail server and a sender with a name, and mask the password of the server', () => {
    const url = 'smtps://no-reply%40example.com:secret@mail.example.com:465';
    expect(shown('SMTP_URL', url)).toBe('smtps://no-reply%40example.com:********@mail.example.com:465');
    expect(refusal({ ANAGRAFE_SMTP_URL: 'smtp://user:secret@mail.example.com/x' })).not.toContain('secret');
    expect(shown('MAIL_FROM', 'Rossi Srl <no-reply@example.com>')).toBe('Rossi Srl <no-reply@example.com>');
  });
});
