import { expect, it } from 'vitest';
import { banner, localOnlyHint } from '../../src/cli/output/banner.ts';
import { readConfig } from '../../src/settings/config.ts';

const shown = (protectedMode: boolean, settings: Record<string, string> = {}) =>
  banner(
    { url: 'http://127.0.0.1:8420', protectedMode, stop: () => Promise.resolve() },
    readConfig(settings),
  ).join('\n');

it('the banner says that only this machine can call, and what to set, once an API client exists', () => {
  const text = shown(false).replaceAll(/\s+/g, ' ');
  expect(text).toContain('Only programs on this machine can call the service: it listens on 127.0.0.1.');
  expect(text).toMatch(/reverse proxy with TLS.*ANAGRAFE_TRUST_PROXY.*ANAGRAFE_HOST=0\.0\.0\.0/);
});

it('the banner has no line above 120 columns, except commands', () => {
  for (const line of shown(false).split('\n')) expect(line.length).toBeLessThanOrEqual(120);
});

it('the banner does not mention other machines in protected mode, behind a proxy or on another address', () => {
  for (const text of [
    shown(true),
    shown(false, { ANAGRAFE_TRUST_PROXY: '127.0.0.1' }),
    shown(false, { ANAGRAFE_HOST: '0.0.0.0' }),
  ])
    expect(text).not.toContain('Only programs on this machine');
});

it('the hint about other machines is given for every loopback address', () => {
  for (const host of ['127.0.0.1', '127.0.0.5', '::1', 'localhost'])
    expect(localOnlyHint(readConfig({ ANAGRAFE_HOST: host }))).toContain(`it listens on ${host}.`);
  expect(localOnlyHint(readConfig({ ANAGRAFE_HOST: '10.0.0.1' }))).toBeNull();
});
