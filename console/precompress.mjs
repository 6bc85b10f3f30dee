// @ts-check
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';

const worthwhile = ['.js', '.css', '.svg', '.html', '.json'];
/** One step below the slowest: a tenth of its time for a percent more bytes. */
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } };

/**
 * Puts a `.br` and a `.gz` beside each file of a folder, for the server to send as they are.
 * @param {string} folder
 */
export function compressFolder(folder) {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !worthwhile.includes(extname(entry.name))) continue;
    const path = join(entry.parentPath, entry.name);
    const text = readFileSync(path);
    writeFileSync(`${path}.br`, brotliCompressSync(text, brotli));
    writeFileSync(`${path}.gz`, gzipSync(text, { level: 9 }));
  }
}

/**
 * Compresses what Vite has built.
 * @returns {import('vite').Plugin}
 */
export function precompress() {
  return { name: 'precompress', apply: 'build', writeBundle: ({ dir = '' }) => compressFolder(dir) };
}
