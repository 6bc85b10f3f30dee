import { defineConfig } from 'vite';
import { precompress } from '../precompress.mjs';

/** The account pages are one page with one script: few bytes, which a phone loads at once. */
export default defineConfig({
  // The service may be below a path of a proxy.
  base: './',
  publicDir: '../public',
  plugins: [precompress()],
  build: {
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
});
