import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterUse } from '@anagrafe/testing/endings';
import { getText, startTestService } from '@anagrafe/testing/service';
import { describe, expect, it } from 'vitest';
import { builtAccountPages } from '../../src/accounts/pages.routes.ts';

const paths = ['', 'set-password', 'forgot-password', 'change-password', 'sessions'].map(
  (name) => `/account/${name}`,
);
const folder = mkdtempSync(join(tmpdir(), 'anagrafe-logo-'));
afterUse(() => rmSync(folder, { recursive: true }));
const logo = join(folder, 'logo.png');
writeFileSync(logo, Buffer.from('89504e470d0a1a0a', 'hex'));

const plain = await startTestService();
const branded = await startTestService({
  ANAGRAFE_BRAND_NAME: `<Rossi & "Figli">`,
  ANAGRAFE_BRAND_COLOR: '#ffe14d',
  ANAGRAFE_BRAND_LOGO: logo,
  ANAGRAFE_PASSWORD_MIN: '12',
});

describe('the account pages', () => {
  it.each(paths)('are at %s, and allow only their own files, no framing and no referrer', async (path) => {
    const { status, headers, text } = await getText(plain, path);
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers['content-security-policy']).toBe(
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
    );
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['cache-control']).toBe('no-cache');
    expect(headers['set-cookie']).toBeUndefined();
    expect(text).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle=|\son\w+=|https?:/);
    expect(text).toContain('<body data-name="Anagrafe" data-min-length="8">');
  });

  it.each([...paths, '/account/icon'])('answer HEAD at %s as GET, without a body', async (path) => {
    const { status, headers } = await getText(plain, path);
    const head = await fetch(`${plain.url}${path}`, { method: 'HEAD' });
    expect([head.status, await head.text()]).toEqual([status, '']);
    for (const name of ['content-type', 'content-security-policy', 'cache-control'])
      expect(head.headers.get(name)).toBe(headers[name]);
  });

  it('have less than 60 kB with all their files, uncompressed', () => {
    const built = builtAccountPages() ?? '';
    const sizes = readdirSync(built, { recursive: true, encoding: 'utf8' })
      .filter((name) => /\.(html|js|css|svg)$/.test(name))
      .map((name) => statSync(join(built, name)).size);
    expect(sizes.length).toBeGreaterThanOrEqual(4);
    expect(sizes.reduce((sum, size) => sum + size)).toBeLessThan(60_000);
  });

  it('serve the files that they name, which browsers keep', async () => {
    const { text } = await getText(plain, '/account/');
    const names = [...text.matchAll(/(?:href|src)="\.\/([^"]+)"/g)].map(([, name]) => name ?? '');
    expect(names).toHaveLength(4);
    for (const name of names) {
      const { status, headers } = await getText(plain, `/account/${name}`);
      expect([name, status]).toEqual([name, 200]);
      expect(headers['cache-control']).toBe(
        name === 'icon' ? 'no-cache' : 'public, max-age=31536000, immutable',
      );
      expect(headers['content-security-policy']).toContain("default-src 'none'");
    }
  });

  it('have the name, the colour and the logo of the settings', async () => {
    const { text } = await getText(branded, '/account/');
    expect(text).toContain('<title>&#60;Rossi &#38; &#34;Figli&#34;&#62;</title>');
    expect(text).toContain('data-min-length="12"');
    expect(text).toContain('<img src="./icon" alt="">');
    const icon = await getText(branded, '/account/icon');
    expect([icon.headers['content-type'], icon.status]).toEqual(['image/png', 200]);
    const [, path] = /href="\.(\/brand-\w+\.css)"/.exec(text) ?? [];
    const styles = await getText(branded, `/account${path}`);
    expect(styles.text).toMatch(/^:root\{--brand:#ffe14d;--on-brand:#000000;--link-on-light:#[0-9a-f]{6};/);
  });

  it('redirect without a slash by a relative address, which a path of a proxy does not change', async () => {
    const { status, headers } = await getText(plain, '/account');
    expect([status, headers.location]).toEqual([302, 'account/']);
  });

  it.each(['/account/other', '/account/index.html', '/account/assets/', '/account/assets/..%2findex.html'])(
    'answer 404 at %s',
    async (path) => {
      expect((await getText(plain, path)).status).toBe(404);
    },
  );
});
