import { readFileSync } from 'node:fs';
import { defineConfig } from 'vite';
import { precompress } from './precompress.mjs';

const { version } = JSON.parse(readFileSync(new URL('../server/package.json', import.meta.url), 'utf8'));

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
