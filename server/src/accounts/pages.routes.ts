import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import fastifyStatic from '@fastify/static';
import type { FastifyInstance, FastifyReply } from 'fastify';
import { type Brand, readableOn } from '../lib/brand.ts';
import { packageFolder } from '../lib/package-folder.ts';

const policy =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; form-action 'none'; base-uri 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'";

/** One page, whose script shows what the path names. */
const paths = [
  '/account/',
  ...['set-password', 'forgot-password', 'change-password', 'sessions'].map((name) => `/account/${name}`),
];
const immutable = 'public, max-age=31536000, immutable';
/** The backgrounds of the style sheet, and the part of its colours that depends on the brand. */
const backgrounds = { light: '#f4f5f7', dark: '#1c1f24' };

export interface PageTools {
  readonly brand: Brand;
  /** The minimum length of a password. */
  readonly minLength: number;
}

/** Serves the built account pages below `/account/`. Opening one neither reads nor changes anything that is stored. */
export async function accountPages(
  app: FastifyInstance,
  folder: string,
  { brand, minLength }: PageTools,
): Promise<void> {
  const hidden = { logLevel: 'warn', schema: { hide: true }, exposeHeadRoute: true } as const;
  const icon = brand.logo ?? { content: await readFile(join(folder, 'favicon.svg')), type: 'image/svg+xml' };
  const colors = stylesOf(brand);
  const colorsPath = `brand-${createHash('sha256').update(colors).digest('hex').slice(0, 12)}.css`;
  const values: Record<string, string> = {
    name: escaped(brand.name),
    minLength: String(minLength),
    logo: brand.logo === null ? '' : '<img src="./icon" alt="">',
  };
  const html = (await readFile(join(folder, 'index.html'), 'utf8'))
    .replace('</head>', `  <link rel="stylesheet" href="./${colorsPath}">\n  </head>`)
    .replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? '');

  const send = (reply: FastifyReply, type: string, cache: string, content: string | Buffer) =>
    reply.type(type).header('cache-control', cache).header('content-security-policy', policy).send(content);
  for (const path of paths)
    app.get(path, hidden, async (_request, reply) =>
      send(reply, 'text/html; charset=utf-8', 'no-cache', html),
    );
  // Relative, so that it also works below a path of a proxy.
  app.get('/account', hidden, async (_request, reply) => reply.redirect('account/'));
  app.get('/account/icon', hidden, async (_request, reply) =>
    send(reply, icon.type, 'no-cache', icon.content),
  );
  app.get(`/account/${colorsPath}`, hidden, async (_request, reply) =>
    send(reply, 'text/css; charset=utf-8', immutable, colors),
  );
  await app.register(fastifyStatic, {
    root: join(folder, 'assets'),
    prefix: '/account/assets/',
    wildcard: false,
    globIgnore: ['**/*.br', '**/*.gz'],
    index: false,
    preCompressed: true,
    decorateReply: false,
    cacheControl: false,
    logLevel: 'warn',
    setHeaders: (reply) => {
      // The build puts a content hash into the file names.
      reply.header('cache-control', immutable);
      reply.header('content-security-policy', policy);
    },
  });
}

function stylesOf({ color, textColor }: Brand): string {
  const colors = {
    brand: color,
    'on-brand': textColor,
    'link-on-light': readableOn(backgrounds.light, color),
    'link-on-dark': readableOn(backgrounds.dark, color),
  };
  return `:root{${Object.entries(colors)
    .map(([name, value]) => `--${name}:${value}`)
    .join(';')}}`;
}

function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

export function builtAccountPages(): string | null {
  const folder = fileURLToPath(new URL('../console/account/dist', packageFolder));
  return existsSync(join(folder, 'index.html')) ? folder : null;
}
