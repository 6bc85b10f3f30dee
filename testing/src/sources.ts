import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';

export interface Source {
  /** The path relative to `src/`, with slashes: `http/envelope.ts`. */
  readonly path: string;
  /** The top-level folder, or the file name of a file in `src/` itself. */
  readonly topFolder: string;
  readonly text: string;
  /** The imported files, as paths relative to `src/`. */
  readonly ours: readonly string[];
  /** The imported packages. */
  readonly others: readonly string[];
}

const imported =
  /(?:^\s*(?:import|export)\b[^'";]*?from\s*|^\s*import\s*|\bimport\s*\(\s*)['"]([^'"]+)['"]/gm;

const repository = fileURLToPath(new URL('../../', import.meta.url));

/** Reads all files below a folder of the repository, such as `server/src`. */
export function sourcesBelow(path: string): Source[] {
  const folder = join(repository, path);
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readSource(join(entry.parentPath, entry.name), folder));
}

function readSource(file: string, folder: string): Source {
  const path = relative(folder, file).split(sep).join('/');
  const text = readFileSync(file, 'utf8');
  const specifiers = [...text.matchAll(imported)].map(([, specifier = '']) => specifier);
  const ours = specifiers
    .filter((specifier) => specifier.startsWith('.'))
    .map((specifier) =>
      relative(folder, join(dirname(file), specifier))
        .split(sep)
        .join('/'),
    );
  return {
    path,
    topFolder: topFolderOf(path),
    text,
    ours,
    others: specifiers.filter((specifier) => !specifier.startsWith('.')),
  };
}

export function topFolderOf(path: string): string {
  return path.split('/')[0] ?? path;
}

/** The maximum number of lines of a source file. */
const maxLines = 300;

export function isTooLong({ text }: Source): boolean {
  return text.trimEnd().split('\n').length > maxLines;
}

/** Returns the import cycles, each as a text such as `a.ts -> b.ts -> a.ts`. */
export function cycles(imports: ReadonlyMap<string, readonly string[]>): string[] {
  const done = new Set<string>();
  const found: string[] = [];
  const visit = (path: string, above: readonly string[]): void => {
    if (above.includes(path)) found.push([...above.slice(above.indexOf(path)), path].join(' -> '));
    if (done.has(path) || above.includes(path)) return;
    for (const target of imports.get(path) ?? []) visit(target, [...above, path]);
    done.add(path);
  };
  for (const path of imports.keys()) visit(path, []);
  return found;
}
