import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { startReceiver } from '@anagrafe/testing/receiver';
import { insertPrincipals, startTestService, type TestService } from '@anagrafe/testing/service';
import { subscribe } from '@anagrafe/testing/webhooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const root = fileURLToPath(new URL('../../../', import.meta.url));
const folder = mkdtempSync(join(tmpdir(), 'anagrafe-client-'));
const installed = join(folder, 'node_modules', '@anagrafe', 'client');
let service: TestService;

/** The environment without npm_* variables: an npm that runs this test would configure the inner npm with them. */
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)));

async function run(cwd: string, command: string, ...args: string[]): Promise<string> {
  const { stdout } = await promisify(execFile)(command, args, { cwd, env }).catch((error) => {
    throw new Error(`${command} ${args[0]}: ${error.stdout}${error.stderr}`);
  });
  return stdout;
}

function npm(cwd: string, ...args: string[]): Promise<string> {
  const { npm_execpath: cli } = process.env;
  return cli?.endsWith('.js') ? run(cwd, process.execPath, cli, ...args) : run(cwd, 'npm', ...args);
}

/** Compiles `<name>.ts` with the types of the package; a type error rejects. */
async function compile(name: string, options: Record<string, unknown>): Promise<void> {
  const project = { compilerOptions: { ...compiler, ...options }, files: [`${name}.ts`] };
  writeFileSync(join(folder, `${name}.json`), JSON.stringify(project));
  const tsc = join(root, 'node_modules', 'typescript', 'bin', 'tsc');
  await run(folder, process.execPath, tsc, '-p', `${name}.json`);
}

/** A TypeScript program of an integrator that uses the package. */
const program = `
import { Anagrafe, type Principal, RecordError, verifyWebhook, type WebhookEvent } from '@anagrafe/client';

export async function records(url: string, principalId: number) {
  const anagrafe = new Anagrafe({ url });
  const users = await anagrafe.register(principalId, [
    { Username: 'mario.rossi', Email: 'mario@example.com', Password: 'una frase lunga' },
    { Username: 'anna.bianchi', Password: 'una frase lunga' },
  ]);
  const reset = await anagrafe.reset(principalId, users.map(({ ID }) => ({ ID, Password: 'una frase nuova' })));
  const principals: Principal[] = [];
  for await (const principal of anagrafe.list()) principals.push(principal);
  const { ID } = await anagrafe.jobs.submit('insert', [{ Denomination: 'Bianchi Srl' }]);
  const { State } = await anagrafe.jobs.wait(ID, { pollMs: 50 });
  const { estimate } = await anagrafe.setStates([{ ID: principalId, State: 'disabled' }], { dryRun: true });
  const refused = await anagrafe.register(principalId, [{ Username: 'x', Password: 'short' }]).catch((error) => {
    if (error instanceof RecordError && error.code === 'INVALID_USERS') return Object.keys(error.fieldErrors);
    throw error;
  });
  const names = principals.flatMap(({ Users }) => Users.map(({ Username }) => Username));
  return { operations: [...users, ...reset].map(({ Operation }) => Operation), names, State, estimate, refused };
}

export async function webhook(body: string, headers: Record<string, string>, secret: string) {
  const event: WebhookEvent = await verifyWebhook(body, headers, secret);
  return event.type;
}

export function mistakes(anagrafe: Anagrafe) {
  // @ts-expect-error A reset needs the ID or the username of a user.
  void anagrafe.reset(1, [{ Password: 'una frase nuova' }]);
  // @ts-expect-error There is no such state.
  void anagrafe.setStates([{ ID: 1, State: 'asleep' }]);
  // @ts-expect-error A call that was not tried has no estimate.
  void anagrafe.update([]).then(({ estimate }) => estimate.Register);
}
`;

const compiler = {
  target: 'es2023',
  module: 'nodenext',
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
};

/** The compiler options for each environment in which a program may run. */
const environments = {
  browser: { lib: ['es2023', 'dom', 'dom.iterable', 'dom.asynciterable'], types: [] },
  node: { lib: ['es2023'], types: ['node'], typeRoots: [join(root, 'node_modules', '@types')] },
};

beforeAll(async () => {
  service = await startTestService({ ANAGRAFE_WEBHOOK_NETWORKS: '127.0.0.1' });
  await npm(join(root, 'client'), 'pack', '--pack-destination', folder);
  const [tarball = ''] = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  writeFileSync(join(folder, 'package.json'), '{ "type": "module", "private": true }');
  writeFileSync(join(folder, 'program.ts'), program);
  // With an empty cache and without network, the installation fails if the package has a dependency.
  mkdirSync(join(folder, 'cache'));
  await npm(folder, 'install', `./${tarball}`, '--offline', '--cache', join(folder, 'cache'));
  await compile('program', environments.node);
});

afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Calls an exported function of the program in a new process, and returns its result. */
async function call(name: string, ...args: unknown[]): Promise<unknown> {
  const script = `import * as program from './program.js';
    console.log(JSON.stringify(await program.${name}(...JSON.parse(process.argv[1]))));`;
  const given = JSON.stringify(args);
  return JSON.parse(await run(folder, process.execPath, '--input-type=module', '-e', script, given));
}

describe('the package @anagrafe/client', () => {
  it('contains its code, types, sources, licence and README, and has no dependencies', () => {
    expect(readdirSync(installed).sort()).toEqual(['LICENSE', 'README.md', 'dist', 'package.json', 'src']);
    const licence = readFileSync(join(root, 'LICENSE'), 'utf8');
    expect(readFileSync(join(installed, 'LICENSE'), 'utf8')).toBe(licence);
    expect(readdirSync(join(installed, 'dist'))).toEqual(expect.arrayContaining(['index.js', 'index.d.ts']));
    expect(readdirSync(join(folder, 'node_modules', '@anagrafe'))).toEqual(['client']);
    const { dependencies = {} } = JSON.parse(readFileSync(join(installed, 'package.json'), 'utf8'));
    expect(dependencies).toEqual({});
  });

  it('has types for browser programs as for Node.js programs, which detect mistakes', async () => {
    await compile('program', { ...environments.browser, noEmit: true });
  });

  it('has a README whose examples compile', async () => {
    const page = readFileSync(join(installed, 'README.md'), 'utf8');
    const examples = [...page.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code = '']) => code);
    expect(examples.length).toBeGreaterThan(5);
    writeFileSync(join(folder, 'examples.ts'), examples.join('\n'));
    await compile('examples', { ...environments.browser, noEmit: true });
  });

  it('registers, resets, lists and waits for a job against a service', async () => {
    const [principal = 0] = await insertPrincipals(service, 1);
    expect(await call('records', service.url, principal)).toEqual({
      operations: ['register', 'register', 'reset', 'reset'],
      names: ['mario.rossi', 'anna.bianchi'],
      State: 'completed',
      estimate: { Register: 0, Reset: 0, RecordsFailed: 0, EstimatedSeconds: 0 },
      refused: ['Users[0].Password'],
    });
  });

  it('verifies a webhook message', async () => {
    const receiver = await startReceiver();
    const { secret } = await subscribe(service, receiver.url, { types: ['principal.inserted'] });
    await insertPrincipals(service, 1);
    await expect.poll(() => receiver.received.length).toBeGreaterThan(0);
    const [message] = receiver.received;
    expect(await call('webhook', message?.body, message?.headers, secret)).toBe('principal.inserted');
  });
});
