import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

export const root = fileURLToPath(new URL('../../../', import.meta.url));

/** A fenced code block. `start` and `end` are the offsets of its text in the page. */
export interface Block {
  readonly language: string;
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

/** A block of commands, and the block with their documented output, if the page shows one. */
export interface Example {
  readonly commands: Block;
  readonly answer: Block | null;
}

/** Paths of the Markdown files below a folder of the project, such as `docs/api/list.md`. */
function markdownBelow(folder: string): string[] {
  return readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
    .filter((path) => path.endsWith('.md') && !/(^|\/)(node_modules|dist|bin|obj)\//.test(path))
    .map((path) => `${folder}/${path}`)
    .toSorted();
}

/** The pages whose `sh` blocks are run. */
export const pages = ['README.md', ...markdownBelow('docs')];

/** The pages whose links and words are checked. */
export const allPages = [
  ...pages,
  'CONTRIBUTING.md',
  'CHANGELOG.md',
  'SECURITY.md',
  ...['bench', 'client', 'importer'].flatMap(markdownBelow),
];

export const readPage = (path: string) => readFileSync(join(root, path), 'utf8');

const answerLanguages = ['json', 'http', 'text', ''];

/** Reads the `sh` blocks of a page. The next block is the answer if at most one line of prose precedes it. */
export function examplesOf(page: string): Example[] {
  const blocks = blocksOf(page);
  return blocks.flatMap((commands, index) => {
    if (commands.language !== 'sh') return [];
    const next = blocks[index + 1];
    const isAnswer =
      next && answerLanguages.includes(next.language) && linesBetween(page, commands, next) <= 1;
    return [{ commands, answer: isAnswer ? next : null }];
  });
}

export function blocksOf(page: string): Block[] {
  return [...page.matchAll(/^(```+)([\w-]*)[^\n]*\n([\s\S]*?)^\1$/gm)].map((match) => {
    const [whole, fence = '', language = '', text = ''] = match;
    const start = match.index + whole.length - fence.length - text.length;
    return { language, text, start, end: start + text.length };
  });
}

function linesBetween(page: string, first: Block, second: Block): number {
  const between = page.slice(first.end, second.start).split('\n');
  return between.filter((line) => line.trim() !== '' && !line.startsWith('```')).length;
}
