import { getText, startTestService } from '@anagrafe/testing/service';
import { describe, expect, it } from 'vitest';
import { allPages } from './pages.ts';

const service = await startTestService();

/** Pages for those who change the project, which the service does not serve. */
const unserved = /^(CONTRIBUTING|SECURITY|importer\/README)\.md$/;

function pathOf(page: string): string {
  if (page === 'docs/README.md') return '/docs/pages/index.html';
  const inSite = page.startsWith('docs/') ? page.slice('docs/'.length) : `project/${page}`;
  return `/docs/pages/${inSite.replace(/\.md$/, '.html')}`;
}

const pages = new Map<string, string>();
async function textOf(path: string) {
  const known = pages.get(path);
  if (known !== undefined) return known;
  const { status, text } = await getText(service, path);
  expect([path, status]).toEqual([path, 200]);
  pages.set(path, text);
  return text;
}

describe('the documentation that the service serves', () => {
  it('begins with an index, which is also found without a slash', async () => {
    const { status, headers } = await getText(service, '/docs/pages');
    expect([status, headers.location]).toEqual([302, 'pages/']);
    expect((await getText(service, '/docs/pages/')).text).toBe(await textOf('/docs/pages/index.html'));
  });

  it('runs no script but its own', async () => {
    const { headers } = await getText(service, '/docs/pages/');
    expect(headers['content-security-policy']).toMatch(
      /^default-src 'none'; script-src 'self'; style-src 'self';/,
    );
  });

  it.each(allPages.filter((page) => !unserved.test(page)))(
    'has a page for %s, whose links lead to files and headings that exist',
    async (page) => {
      const path = pathOf(page);
      const text = await textOf(path);
      for (const [, link = ''] of text.matchAll(/(?:href|src)="([^"]+)"/g)) {
        const target = new URL(link, `http://service${path}`);
        if (target.host !== 'service' || target.pathname === '/docs/') continue;
        const found = await textOf(target.pathname);
        const anchor = decodeURIComponent(target.hash.slice(1));
        if (anchor !== '') expect(found, `${page} links ${link}`).toContain(`id="${anchor}"`);
      }
    },
  );
});
