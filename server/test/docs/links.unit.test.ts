import { existsSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { expect, it } from 'vitest';
import { allPages, readPage, root } from './pages.ts';

it.each(allPages)('every relative link of %s leads to a file and a heading that exist', (path) => {
  expect(linksOf(readPage(path)).filter((link) => !leadsSomewhere(path, link))).toEqual([]);
});

it('every alert of Prometheus leads to a page and a heading that exist', () => {
  const rules = readFileSync(join(root, 'deploy/prometheus/alerts.yml'), 'utf8');
  const runbooks = [...rules.matchAll(/^ +runbook: (\S+)$/gm)].map(([, link = '']) => link);
  expect(runbooks.length).toBeGreaterThan(5);
  expect(runbooks.filter((link) => !leadsSomewhere('README.md', link))).toEqual([]);
});

it('anchors are built as GitHub builds them', () => {
  const page =
    '# Sign in: `POST /login`\n## Field `A_b`, [all](x.md)\n## One\n## One\n```sh\n# a comment\n```\n';
  expect([...anchorsOf(page)]).toEqual(['sign-in-post-login', 'field-a_b-all', 'one', 'one-1']);
});

it('links in code are not followed, and those in text and images are', () => {
  const page =
    'A [link](a.md#b "title"), `[code](b.md)`\n```\n[block](c.md)\n```\n![image](d.png) [x](https://e.com)\n';
  expect(linksOf(page)).toEqual(['a.md#b', 'd.png']);
});

const withoutCode = (page: string) => page.replace(/^(```+)[\s\S]*?^\1$/gm, '').replace(/`[^`\n]*`/g, 'code');

function linksOf(page: string): string[] {
  return [...withoutCode(page).matchAll(/\]\(([^()\s]+)[^()]*\)|\bsrc="([^"]+)"/g)]
    .map(([, target, source]) => target ?? source ?? '')
    .filter((link) => !/^(https?|mailto):/.test(link));
}

function leadsSomewhere(path: string, link: string): boolean {
  const [file = '', anchor] = link.split('#');
  const target = file === '' ? path : normalize(join(dirname(path), file));
  if (!existsSync(join(root, target))) return false;
  return anchor === undefined || (target.endsWith('.md') && anchorsOf(readPage(target)).has(anchor));
}

/** Returns the anchors of the headings of a page. GitHub numbers headings with the same text from the second one on. */
function anchorsOf(page: string): Set<string> {
  const anchors = new Set<string>();
  for (const [, heading = ''] of page
    .replace(/^(```+)[\s\S]*?^\1$/gm, '')
    .matchAll(/^#{1,6} +(.+?) *#*$/gm)) {
    const text = heading.replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1').toLowerCase();
    const base = text.replace(/[^\p{L}\p{N}\p{M}_ -]/gu, '').replaceAll(' ', '-');
    let anchor = base;
    for (let repeats = 1; anchors.has(anchor); repeats += 1) anchor = `${base}-${repeats}`;
    anchors.add(anchor);
  }
  return anchors;
}
