import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { blocksOf, readPage, root } from './pages.ts';

const rows = [
  ...readPage('docs/asvs.md').matchAll(/^\| (V[\d.]+) \| ([^|]+) \| ([^|]+) \| ([^|]+) \|$/gm),
].map(([, number = '', requirement = '', state = '', reason = '']) => ({
  number,
  requirement,
  state,
  reason,
}));

describe('docs/asvs.md', () => {
  it('names only tests that exist', () => {
    const tests = rows.flatMap(({ reason }) =>
      [...reason.matchAll(/`([^`]+\.test\.ts)`/g)].map(([, path]) => path),
    );
    expect(tests.length).toBeGreaterThan(100);
    expect([...new Set(tests)].filter((path) => !existsSync(join(root, String(path))))).toEqual([]);
  });

  it('has one of three states and a test or a reason for each requirement, which it lists once', () => {
    expect(rows.filter(({ state }) => !['met', 'not met', 'does not apply'].includes(state))).toEqual([]);
    expect(
      rows.filter(({ requirement, reason }) => requirement.trim() === '' || reason.trim() === ''),
    ).toEqual([]);
    const numbers = rows.map(({ number }) => number);
    expect(numbers.filter((number, index) => numbers.indexOf(number) !== index)).toEqual([]);
  });

  it('has a test or a page for each requirement that is met', () => {
    const bare = rows.filter(({ state, reason }) => state === 'met' && !/\.test\.ts`|\]\(/.test(reason));
    expect(bare).toEqual([]);
  });

  it('counts its rows by state', () => {
    const counted = ['met', 'does not apply', 'not met'].map(
      (state) => `| ${state} | ${rows.filter((row) => row.state === state).length} |`,
    );
    expect(readPage('docs/asvs.md').match(/^\| (met|does not apply|not met) \| \d+ \|$/gm)).toEqual(counted);
  });
});

describe('the examples of reverse proxies in docs/operations/tls.md', () => {
  const examples = blocksOf(readPage('docs/operations/tls.md')).filter(({ language }) =>
    ['nginx', 'caddyfile'].includes(language),
  );

  it('send Strict-Transport-Security for a year and for subdomains, and hide the metrics', () => {
    expect(examples.map(({ language }) => language)).toEqual(['nginx', 'caddyfile']);
    for (const { text } of examples) {
      expect(text).toContain('Strict-Transport-Security "max-age=31536000; includeSubDomains"');
      expect(text).toMatch(/\/metrics.* 404/);
    }
  });

  it('allow TLS 1.2 and 1.3 only in nginx, and set each forwarding header there', () => {
    const nginx = examples[0]?.text ?? '';
    expect(nginx).toMatch(/^ +ssl_protocols +TLSv1\.2 TLSv1\.3;$/m);
    for (const name of ['For', 'Host', 'Proto'])
      expect(nginx).toMatch(new RegExp(`proxy_set_header X-Forwarded-${name} \\$`));
  });
});
