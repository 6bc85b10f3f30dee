// Records an import as a person sees it, and draws it as docs/import.svg: `node scripts/record-import.mjs`. Needs `script`
// of util-linux. The service and its data are its own, and go afterwards.
import { spawn, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname ?? '.', '..');
const program = join(root, 'server', 'bin', 'anagrafe.cjs');
const usualUrl = 'http://127.0.0.1:8420';
const columns = 120;
const lineHeight = 19;
const charWidth = 8.43;
/** A terminal sequence: a change of colour, the clearing of a line, or a character. */
const signs = new RegExp(`${String.fromCharCode(27)}\\[(\\d*)[mK]|[\\s\\S]`, 'gu');
const colours = { 31: '#ff7b72', 32: '#7ee787', 33: '#e3b341', 90: '#6e7681' };

const [data, folder] = ['data', 'desk'].map((name) => mkdtempSync(join(tmpdir(), `anagrafe-${name}-`)));
const env = { ...process.env, ANAGRAFE_DATA: data, ANAGRAFE_PORT: '0', ANAGRAFE_LOG_LEVEL: 'silent' };
const service = spawn(process.execPath, [program, 'serve'], { env, stdio: ['ignore', 'ignore', 'pipe'] });
try {
  const url = await new Promise((done) =>
    service.stderr.on('data', (text) => {
      const [, found] = /API +(\S+?)\/api\//.exec(String(text)) ?? [];
      if (found) done(found);
    }),
  );
  cpSync(join(root, 'docs', 'samples', 'users.csv'), join(folder, 'users.csv'));
  const command = `stty cols ${columns} rows 24; ANAGRAFE_URL=${url} exec ${process.execPath} ${program} import users.csv`;
  const [log, timing] = [join(folder, 'log'), join(folder, 'timing')];
  spawnSync('script', ['-q', '--log-out', log, '--log-timing', timing, '-c', command], { env, cwd: folder });
  writeFileSync(
    join(root, 'docs', 'import.svg'),
    drawing(screens(readFileSync(log), readFileSync(timing, 'utf8'))).replaceAll(url, usualUrl),
  );
} finally {
  service.kill('SIGTERM');
  await new Promise((done) => service.once('exit', done));
  for (const gone of [data, folder]) rmSync(gone, { recursive: true, force: true });
}

/** A state of the screen, and the second at which it begins. */
function screens(log, timing) {
  const found = [];
  // The log begins with a line of `script` itself.
  let at = log.indexOf(10) + 1;
  let seconds = 0;
  const lines = [[]];
  let column = 0;
  for (const [, pause, bytes] of timing.matchAll(/^([\d.]+) (\d+)$/gm)) {
    seconds += Number(pause);
    write(log.toString('utf8', at, at + Number(bytes)));
    at += Number(bytes);
    const last = found.at(-1);
    if (last && seconds - last.seconds < 0.2) found.pop();
    found.push({
      seconds: last && seconds - last.seconds < 0.2 ? last.seconds : seconds,
      lines: structuredClone(lines),
    });
  }
  return found;

  function write(text) {
    let colour = null;
    for (const [sign, code] of text.matchAll(signs)) {
      const line = lines.at(-1);
      if (sign === '\r') column = 0;
      else if (sign === '\n') lines.push([]);
      else if (sign.endsWith('K') && sign.length > 1) line.length = column;
      else if (sign.endsWith('m') && sign.length > 1) colour = colours[code] ?? null;
      else line[column++] = { sign, colour };
      if (sign === '\n') column = 0;
    }
  }
}

function drawing(all) {
  const total = all.at(-1).seconds + 4;
  const height = Math.max(...all.map(({ lines }) => lines.length)) * lineHeight + 56;
  const width = Math.ceil(columns * charWidth) + 32;
  const frames = all.map(({ seconds, lines }, place) => {
    const end = all[place + 1]?.seconds ?? total;
    const part = (time) => ((time / total) * 100).toFixed(2);
    const last = place === all.length - 1;
    // Where nothing moves, as in print, the last screen stays.
    const steps = `0%,${part(seconds)}%{opacity:0}${part(seconds + 0.001)}%,${part(end)}%{opacity:1}${part(end + 0.001)}%,100%{opacity:${last ? 1 : 0}}`;
    return {
      style: `@keyframes f${place}{${steps}}#f${place}{opacity:${last ? 1 : 0}}@media (prefers-reduced-motion:no-preference){#f${place}{animation:f${place} ${total.toFixed(1)}s infinite step-end}}`,
      group: `<g id="f${place}">${lines.map(lineText).join('')}</g>`,
    };
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" width="${width}" height="${height}" role="img" aria-label="A terminal: anagrafe import users.csv, with a progress bar, the rows done, the rate, the time left and the failures">
<style>text{font:14px ui-monospace,SFMono-Regular,Menlo,Consolas,monospace;fill:#e6edf3;white-space:pre}${frames.map(({ style }) => style).join('')}</style>
<rect width="100%" height="100%" rx="8" fill="#0d1117"/>
<text x="16" y="28"><tspan fill="#7ee787">$</tspan> npx --no -- anagrafe import users.csv</text>
${frames.map(({ group }) => group).join('\n')}
</svg>
`;
}

function lineText(signs, place) {
  const runs = [];
  for (const { sign, colour } of signs) {
    const last = runs.at(-1);
    if (last?.colour === colour) last.text += sign;
    else runs.push({ colour, text: sign });
  }
  const spans = runs.map(({ colour, text }) =>
    colour ? `<tspan fill="${colour}">${escaped(text)}</tspan>` : escaped(text),
  );
  return `<text x="16" y="${48 + place * lineHeight}">${spans.join('')}</text>`;
}

function escaped(text) {
  return text.replace(/[&<>]/g, (sign) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;' })[sign]);
}
