import { getText, startTestService } from '@anagrafe/testing/service';
import { describe, expect, it } from 'vitest';

const service = await startTestService();

describe('every response, of a page, a file, the API or an error,', () => {
  it.each([
    ['/console', 200],
    ['/account/set-password', 200],
    ['/docs', 200],
    ['/docs/pages/', 200],
    ['/openapi.json', 200],
    ['/health/live', 200],
    ['/metrics', 200],
    ['/admin/v1/clients', 200],
    ['/admin/v1/clients?unknown=1', 400],
    ['/api/sync/v1/jobs/unknown', 404],
    ['/no/such/path', 404],
    ['/console/no-such-file.js', 404],
  ])('runs no foreign script, cannot be embedded and has a declared type: %s', async (path, expected) => {
    const { status, headers } = await getText(service, path);
    expect(status).toBe(expected);
    const policy = directivesOf(String(headers['content-security-policy']));
    expect(policy.get('object-src') ?? policy.get('default-src')).toBe("'none'");
    expect(policy.get('script-src') ?? policy.get('default-src')).not.toMatch(/unsafe|\*|https?:/);
    expect(policy.get('base-uri')).toBe("'none'");
    expect(policy.get('frame-ancestors')).toBe("'none'");
    expect(headers['x-content-type-options']).toBe('nosniff');
    expect(headers['referrer-policy']).toBe('no-referrer');
    expect(headers['content-type']).toMatch(/^(text\/(html|plain)|application\/json);.*charset=utf-8/);
  });
});

function directivesOf(policy: string): Map<string, string> {
  return new Map(
    policy.split(';').map((directive) => {
      const [name = '', ...sources] = directive.trim().split(/\s+/);
      return [name, sources.join(' ')];
    }),
  );
}
