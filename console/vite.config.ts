import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { extname, join } from 'node:path';
import { brotliCompressSync, constants, gzipSync } from 'node:zlib';
import { defineConfig, type Plugin } from 'vite';

const { version } = JSON.parse(readFileSync(new URL('../server/package.json', import.meta.url), 'utf8'));

const worthwhile = ['.js', '.css', '.svg'];
/** One step below the slowest: a tenth of its time for a percent more bytes. */
const brotli = { params: { [constants.BROTLI_PARAM_QUALITY]: 10 } };

/** Puts a `.br` and a `.gz` beside each file, for the server to send as they are. */
function precompress(): Plugin {
  return {
    name: 'precompress',
    apply: 'build',
    writeBundle({ dir = '' }) {
      for (const entry of readdirSync(dir, { recursive: true, withFileTypes: true })) {
        if (!entry.isFile() || !worthwhile.includes(extname(entry.name))) continue;
        const path = join(entry.parentPath, entry.name);
        const text = readFileSync(path);
        writeFileSync(`${path}.br`, brotliCompressSync(text, brotli));
        writeFileSync(`${path}.gz`, gzipSync(text, { level: 9 }));
      }
    },
  };
}

export default defineConfig({
  base: '/console/',
  plugins: [precompress()],
  // The console is served by the service that it was built beside.
  define: { __VERSION__: JSON.stringify(version) },
  build: {
    // Styles and pictures in the page itself would be against its policy, and fonts are the browser's own.
    assetsInlineLimit: 0,
    reportCompressedSize: false,
    // A test holds what a browser loads at first; see server/test/browser.
    chunkSizeWarningLimit: 700,
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            { name: 'start', tags: ['$initial'] },
            // The modules that pages share, in few files: each request costs more than the few modules that a page does not need.
            { name: 'shared', minShareCount: 2, entriesAware: true, entriesAwareMergeThreshold: 20_000 },
          ],
        },
      },
      // Hundreds of files of the components are marked for servers that this console does not have.
      onLog(level, log, handle) {
        if (log.code !== 'MODULE_LEVEL_DIRECTIVE') handle(level, log);
      },
    },
  },
  server: { proxy: { '^/(api|admin|console/session)': 'http://127.0.0.1:8420' } },
});
