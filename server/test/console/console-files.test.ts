import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { brotliCompressSync, brotliDecompressSync, gunzipSync, gzipSync } from 'node:zlib';
import { getText, startTestService, type TestService } from '@anagrafe/testing/service';
import { request } from 'undici';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const page = '<!doctype html><html lang="en"><head><title>x</title></head><body></body></html>';
const script = 'console.log("a script that was built");'.repeat(20);
const scriptPath = '/console/assets/index-DiwrgTda.js';

let service: TestService;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'anagrafe-console-'));
  mkdirSync(join(folder, 'assets'));
  const files: Record<string, string | Buffer> = {
    'index.html': page,
    'favicon.svg': '<svg xmlns="http://www.w3.org/2000/svg"/>',
    'assets/index-DiwrgTda.js': script,
    'assets/index-DiwrgTda.js.br': brotliCompressSync(script),
    'assets/index-DiwrgTda.js.gz': gzipSync(script),
    'assets/index-BfA1_x2Z.css': 'body{}',
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  service = await startTestService({}, { consoleFolder: folder });
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

const get = (path: string, headers: Record<string, string> = {}) => getText(service, path, headers);

describe('the built console', () => {
  it.each([
    '/console',
    '/console/',
    '/console/clients',
    '/console/calls/0b4b/failed',
    '/console/audit?after=3',
  ])('serves its page at %s, where the page itself routes by the path', async (path) => {
    const { status, headers, text } = await get(path);
    expect([status, headers['content-type']]).toEqual([200, 'text/html; charset=utf-8']);
    expect(headers['cache-control']).toBe('no-cache');
    expect(text).toContain('<title>x</title>');
  });

  it('has a content security policy that allows only its own files and styles with the nonce of the response', async () => {
    const nonces = new Set<string>();
    for (let round = 1; round <= 2; round++) {
      const { headers, text } = await get('/console');
      const nonce = /<head><meta name="csp-nonce" content="([A-Za-z0-9+/]{22}==)">/.exec(text)?.[1] ?? '';
      nonces.add(nonce);
      expect(headers['content-security-policy']).toBe(
        `default-src 'none'; script-src 'self'; style-src 'self' 'nonce-${nonce}'; img-src 'self' data:; font-src 'self'; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'`,
      );
    }
    expect(nonces.size).toBe(2);
    const { headers } = await get(scriptPath);
    expect(headers['content-security-policy']).toMatch(/^default-src 'none';.* style-src 'self';/);
  });

  it('serves files with a hash in their name as immutable, and others with no-cache', async () => {
    const { status, headers, text } = await get(scriptPath);
    expect([status, text]).toEqual([200, script]);
    expect(headers['content-type']).toMatch(/^(text|application)\/javascript/);
    expect(headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect((await get('/console/favicon.svg')).headers['cache-control']).toBe('no-cache');
  });

  it('serves precompressed files according to Accept-Encoding', async () => {
    const asked = async (accept: string) => {
      const answer = await request(service.url + scriptPath, { headers: { 'accept-encoding': accept } });
      const bytes = Buffer.from(await answer.body.arrayBuffer());
      return { headers: answer.headers, bytes };
    };
    const brotli = await asked('gzip, deflate, br');
    expect(brotli.headers['content-encoding']).toBe('br');
    expect(brotliDecompressSync(brotli.bytes).toString()).toBe(script);
    expect(brotli.headers['content-type']).toMatch(/javascript/);
    expect(brotli.headers['cache-control']).toBe('public, max-age=31536000, immutable');
    expect(brotli.headers.vary).toMatch(/accept-encoding/i);
    const gzip = await asked('gzip');
    expect([gzip.headers['content-encoding'], gunzipSync(gzip.bytes).toString()]).toEqual(['gzip', script]);
    expect((await asked('identity')).bytes.toString()).toBe(script);
    const css = await get('/console/assets/index-BfA1_x2Z.css', { 'accept-encoding': 'br' });
    expect([css.headers['content-encoding'], css.text]).toEqual([undefined, 'body{}']);
  });

  it.each([
    '/console/assets/index-00000000.js',
    '/console/assets/index-DiwrgTda.js.br',
    '/console/index.html',
    '/console/../package.json',
    '/console/%2e%2e/%2e%2e/package.json',
    '/console/assets/%2e%2e%2f%2e%2e%2fpackage.json',
    '/console/..%5c..%5cpackage.json',
  ])('answers 404 at %s', async (path) => {
    const { status, text } = await get(path);
    expect(status).toBe(404);
    expect(JSON.parse(text)).toMatchObject({ errorCode: 'NOT_FOUND' });
  });

  it('does not shadow its session route or any other route', async () => {
    expect((await get('/console/session')).text).toContain('"State":"protected"');
    expect((await get('/')).headers.location).toBe('/console');
    expect((await get('/docs')).status).toBe(200);
    expect((await get('/api/sync/v1/console')).status).toBe(404);
  });
});
