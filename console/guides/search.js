// Searches the sections of all pages. The index is loaded when the reader begins to search.
import MiniSearch from './minisearch.js';

const shown = 12;
const input = document.querySelector('input[type=search]');
const results = document.querySelector('#results');
const base = new URL('.', import.meta.url);
let loading;

async function load() {
  const sections = await (await fetch(new URL('search.json', base))).json();
  const index = new MiniSearch({
    fields: ['section', 'page', 'text'],
    storeFields: ['section', 'page', 'url', 'text'],
    searchOptions: { prefix: true, fuzzy: 0.15, combineWith: 'AND', boost: { section: 4, page: 2 } },
  });
  index.addAll(sections);
  return index;
}

async function search() {
  const words = input.value.trim();
  results.hidden = words === '';
  if (words === '') return;
  loading ??= load();
  const index = await loading;
  // The reader may have typed on while the index was loaded.
  if (words !== input.value.trim()) return;
  const found = index.search(words).slice(0, shown);
  results.replaceChildren(
    ...(found.length > 0 ? found.map((section) => entry(section, words)) : [text('li', 'No results')]),
  );
}

function entry({ section, page, url, text: content }, words) {
  const link = text('a', section === page ? page : `${page}: ${section}`);
  link.href = new URL(url, base);
  const item = document.createElement('li');
  item.append(link, text('p', excerpt(content, words)));
  return item;
}

/** Returns the part of a section around the first word of the search. */
function excerpt(content, words) {
  const at = content.toLowerCase().indexOf(words.toLowerCase().split(/\s+/)[0]);
  const start = Math.max(0, at - 60);
  return `${start > 0 ? '… ' : ''}${content.slice(start, start + 160)}${content.length > start + 160 ? ' …' : ''}`;
}

function text(name, content) {
  const element = document.createElement(name);
  element.textContent = content;
  return element;
}

input.disabled = false;
input.addEventListener('input', search);
input.addEventListener('keydown', (event) => {
  if (event.key !== 'Escape') return;
  input.value = '';
  results.hidden = true;
});
