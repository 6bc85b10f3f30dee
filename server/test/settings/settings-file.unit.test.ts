import { chmodSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import { ConfigError, readConfig } from '../../src/settings/config.ts';
import { exposureOf, type LoadedSettings, loadSettings } from '../../src/settings/settings-file.ts';

let folder: string;
let path: string;

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'anagrafe-settings-'));
  path = join(folder, 'anagrafe.env');
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
});

function load(text: string, environment: Record<string, string> = {}): LoadedSettings {
  writeFileSync(path, text, { mode: 0o600 });
  return loadSettings({ ANAGRAFE_DATA: folder, ...environment });
}

const messages = ({ errors }: LoadedSettings) => errors.map(({ message }) => message);

describe('the settings file', () => {
  it('is anagrafe.env in the data folder, with comments, quotes and spaces as in other .env files', () => {
    const loaded = load(
      '\uFEFF# the service\r\nANAGRAFE_PORT=9000\r\n\r\nexport ANAGRAFE_LOG_LEVEL = warn # less\nANAGRAFE_URL="https://a.example/b" # c\n',
    );
    expect(messages(loaded)).toEqual([]);
    expect(loaded.path).toBe(path);
    expect([...loaded.fromFile]).toEqual([
      ['ANAGRAFE_PORT', 2],
      ['ANAGRAFE_LOG_LEVEL', 4],
      ['ANAGRAFE_URL', 5],
    ]);
    expect(readConfig(loaded.environment)).toMatchObject({
      PORT: 9000,
      LOG_LEVEL: 'warn',
      URL: 'https://a.example/b',
      DATA: folder,
    });
  });

  it('is overridden by the environment, unless the variable is empty', () => {
    const loaded = load('ANAGRAFE_PORT=9000\nANAGRAFE_HOST=10.0.0.1\n', {
      ANAGRAFE_PORT: '9001',
      ANAGRAFE_HOST: '',
    });
    expect(readConfig(loaded.environment)).toMatchObject({ PORT: 9001, HOST: '10.0.0.1' });
    expect([...loaded.fromFile]).toEqual([['ANAGRAFE_HOST', 2]]);
  });

  it('may be missing in the data folder, and the data folder too', () => {
    expect(loadSettings({ ANAGRAFE_DATA: folder }).path).toBeNull();
    expect(loadSettings({ ANAGRAFE_DATA: join(folder, 'none') }).path).toBeNull();
  });

  it('is the one that --config names, else the one of ANAGRAFE_CONFIG, which both must exist', () => {
    const [one, other] = [join(folder, 'one.env'), join(folder, 'other.env')];
    writeFileSync(one, 'ANAGRAFE_PORT=1\n');
    writeFileSync(other, `ANAGRAFE_PORT=2\nANAGRAFE_DATA=${folder}\n`);
    const loaded = loadSettings({ ANAGRAFE_CONFIG: one }, other);
    expect(readConfig(loaded.environment)).toMatchObject({ PORT: 2, DATA: folder, CONFIG: other });
    expect(readConfig(loadSettings({ ANAGRAFE_CONFIG: one }).environment).PORT).toBe(1);
    for (const environment of [{ ANAGRAFE_CONFIG: join(folder, 'none') }, {}])
      expect(() => loadSettings(environment, join(folder, 'none'))).toThrow(ConfigError);
    expect(() => loadSettings({ ANAGRAFE_CONFIG: join(folder, 'none') })).toThrow(/none: file not found/);
  });

  it('is refused if it is a folder, or too large to hold settings', () => {
    mkdirSync(join(folder, 'folder'));
    expect(() => loadSettings({}, join(folder, 'folder'))).toThrow(/not a regular file/);
    expect(() => load(`# ${'x'.repeat(70_000)}`)).toThrow(/larger than 65536 bytes/);
    symlinkSync('/dev/zero', join(folder, 'endless'));
    expect(() => loadSettings({}, join(folder, 'endless'))).toThrow(/not a regular file/);
  });

  it('reports every unknown name with its line and a suggestion', () => {
    const loaded = load('ANAGRAFE_PORT=9000\nANAGRAFE_PROT=9000\nHOTS=::\nPATH=/bin\nANAGRAFE_CONFIG=/x\n');
    expect(messages(loaded)).toEqual([
      `ANAGRAFE_PROT is not a known setting (line 2 of ${path}). Did you mean ANAGRAFE_PORT?`,
      `HOTS is not a known setting (line 3 of ${path}). Did you mean ANAGRAFE_HOST?`,
      expect.stringMatching(/^PATH is not a known setting \(line 4 of /),
      expect.stringMatching(/^ANAGRAFE_CONFIG cannot be set in a settings file \(line 5 of /),
    ]);
    expect(loaded.environment).not.toHaveProperty('PATH');
  });

  it.each([
    ['ANAGRAFE_PORT 9000', /^Invalid line: line 1 of .*Expected NAME=value/],
    ['ANAGRAFE_HOST="::', /^Invalid line: line 1 of /],
    ['ANAGRAFE_HOST="a\\nb"', /^Invalid line: line 1 of /],
    ['=9000', /^Invalid line: line 1 of /],
    ['ANAGRAFE_HOST=a#b', /^The value of ANAGRAFE_HOST contains a # \(line 1 of .*quotes/],
  ])('reports a line that is not read as it is written: %s', (line, message) => {
    const loaded = load(`${line}\n`);
    expect(messages(loaded)).toEqual([expect.stringMatching(message)]);
    expect(loaded.fromFile.size).toBe(0);
  });

  it('reports a name that is set twice, instead of choosing one of the values', () => {
    expect(messages(load('ANAGRAFE_PORT=1\nANAGRAFE_PORT=2\n'))).toEqual([
      expect.stringMatching(/^ANAGRAFE_PORT is set twice \(line 2 of /),
    ]);
  });

  it('cannot move the data folder that it was found in', () => {
    expect(messages(load('ANAGRAFE_DATA=/elsewhere\n'))).toEqual([
      expect.stringMatching(/^ANAGRAFE_DATA in .* names another folder/),
    ]);
    expect(messages(load(`ANAGRAFE_DATA=${folder}/\n`))).toEqual([]);
  });

  it('is named with the line in the error of an invalid value, and its secrets are not', () => {
    const loaded = load('# the service\n\nANAGRAFE_PORT=http\nANAGRAFE_KEY=hunter2\n');
    expect(() => readConfig(loaded.environment, loaded)).toThrow(
      `ANAGRAFE_PORT is invalid: "http" (line 3 of ${path}). Expected`,
    );
    const secret = load('ANAGRAFE_KEY=hunter2\n');
    expect(() => readConfig(secret.environment, secret)).toThrow(
      /^(?!.*hunter2)ANAGRAFE_KEY is invalid \(line 1 of /,
    );
  });

  it('causes a warning if it contains a secret that other users of the machine can read or change', () => {
    const secret = 'ANAGRAFE_KEY=agp_one.ags_two\n';
    expect(exposureOf(load(secret))).toBeNull();
    for (const mode of [0o604, 0o602, 0o666]) {
      chmodSync(path, mode);
      const exposure = exposureOf(loadSettings({ ANAGRAFE_DATA: folder }));
      expect(exposure?.message).toContain(`contains ANAGRAFE_KEY. Run: chmod 600 ${path}`);
      expect(exposure?.message).not.toContain('ags_two');
    }
    chmodSync(path, 0o640);
    expect(exposureOf(loadSettings({ ANAGRAFE_DATA: folder }))).toBeNull();
    const loaded = load('ANAGRAFE_PORT=1\n');
    chmodSync(path, 0o644);
    expect(exposureOf(loaded)).toBeNull();
    expect(exposureOf(loadSettings({ ANAGRAFE_DATA: folder }))).toBeNull();
  });
});
