// Renders the documentation of this version as static pages into console/guides/dist, with an index for the search.
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join, posix, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Marked } from 'marked';
import { getHeadingList, gfmHeadingId } from 'marked-gfm-heading-id';
import { compressFolder } from '../precompress.mjs';

const here = fileURLToPath(new URL('.', import.meta.url));
const root = join(here, '..', '..');
const out = join(here, 'dist');
const { version } = JSON.parse(readFileSync(join(root, 'server', 'package.json'), 'utf8'));

/** Pages outside of docs/, by their paths in the project. */
const otherPages = ['README.md', 'CHANGELOG.md', 'client/README.md', 'bench/README.md'];

/** Returns the path of a file of the project in the site, or null if the site does not have it. */
function sitePath(path) {
  if (!path.startsWith('docs/') && !otherPages.includes(path)) return null;
  if (path === 'docs/README.md') return 'index.html';
  const inSite = path.startsWith('docs/') ? path.slice('docs/'.length) : `project/${path}`;
  return inSite.replace(/\.md$/, '.html');
}

const files = readdirSync(join(root, 'docs'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map((entry) => posix.join(relative(root, entry.parentPath), entry.name));
const pages = [...files.filter((path) => path.endsWith('.md')), ...otherPages].sort();

/** The sections of all pages, in which the search looks. */
const sections = [];
/** Files to which a page links, such as pictures and samples. */
const linked = new Set();

rmSync(out, { recursive: true, force: true });
for (const path of pages) writePage(path);
for (const path of linked) write(sitePath(path), readFileSync(join(root, path)));
write('search.json', JSON.stringify(sections));
for (const name of ['page.css', 'search.js']) copyFileSync(join(here, name), join(out, name));
copyFileSync(join(here, '..', 'public', 'favicon.svg'), join(out, 'favicon.svg'));
copyFileSync(fileURLToPath(import.meta.resolve('minisearch')), join(out, 'minisearch.js'));
compressFolder(out);

function writePage(path) {
  const source = readFileSync(join(root, path), 'utf8');
  const site = sitePath(path);
  const marked = new Marked({ gfm: true }, gfmHeadingId());
  marked.use({
    walkTokens(token) {
      if (token.type !== 'link' && token.type !== 'image') return;
      const target = targetOf(token.href, path, site);
      // A link to a file that the site does not have becomes its text.
      if (target === null) token.type = 'text';
      else token.href = target;
    },
  });
  const tokens = marked.lexer(source);
  const body = marked.parse(source);
  const headings = getHeadingList().map(({ id, level, raw }) => ({ id, level, title: plain(raw) }));
  const title = headings[0]?.title ?? path;
  addSections(tokens, { headings, site, title });
  const language = posix.basename(path).startsWith('guida-') ? 'it' : 'en';
  const up = posix.relative(posix.dirname(site), '.') || '.';
  write(site, page({ title, body, headings, language, up }));
}

/** Returns the link target in the site, or null if the site does not have the file. */
function targetOf(href, path, site) {
  if (/^(https?:|mailto:|#)/.test(href)) return href;
  const [file, anchor] = href.split('#');
  const target = posix.join(posix.dirname(path), file);
  const targetSite = sitePath(target);
  if (targetSite === null || !existsSync(join(root, target)) || href.endsWith('/')) return null;
  if (!target.endsWith('.md')) linked.add(target);
  const link = posix.relative(posix.dirname(site), targetSite);
  return anchor === undefined ? link : `${link}#${anchor}`;
}

/** Adds a section for each heading: its text up to the next heading, without the marks of Markdown. */
function addSections(tokens, { headings, site, title }) {
  let heading = -1;
  for (const token of tokens) {
    if (token.type === 'heading') {
      heading += 1;
      const { id, title: section } = headings[heading];
      sections.push({ id: sections.length, page: title, section, url: `${site}#${id}`, text: '' });
    } else if (heading >= 0) sections.at(-1).text += `${plain(token.raw)} `;
  }
}

function plain(markdown) {
  return markdown
    .replace(/!?\[([^\]]*)\]\([^)]*\)/g, '$1')
    .replace(/<[^>]+>/g, ' ')
    .replace(/[`*|>#]+/g, ' ')
    .replace(/\s+/g, ' ')
    .trim();
}

function page({ title, body, headings, language, up }) {
  const contents = headings
    .filter(({ level }) => level === 2)
    .map(({ id, title: text }) => `<li><a href="#${id}">${escaped(text)}</a></li>`);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(title)} · Anagrafe ${version}</title>
<link rel="icon" href="${up}/favicon.svg" type="image/svg+xml">
<link rel="stylesheet" href="${up}/page.css">
<script type="module" src="${up}/search.js"></script>
</head>
<body>
<header>
<a class="home" href="${up}/index.html">Anagrafe ${version}</a>
<search><input type="search" placeholder="Search the documentation" aria-label="Search the documentation" disabled></search>
<a href="${up}/../">API reference</a>
</header>
<ul id="results" aria-label="Search results" hidden></ul>
<div class="columns">
${contents.length > 1 ? `<nav aria-label="On this page"><ul>\n${contents.join('\n')}\n</ul></nav>` : '<div></div>'}
<main lang="${language}">
${body.replaceAll('<table>', '<div class="table" tabindex="0" role="group" aria-label="Table"><table>').replaceAll('</table>', '</table></div>').replaceAll('<pre>', '<pre tabindex="0">')}
</main>
</div>
</body>
</html>
`;
}

function escaped(text) {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('"', '&quot;');
}

function write(path, content) {
  const file = join(out, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
}
