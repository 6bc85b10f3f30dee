import { type BrowserAnswer, browserOf } from '@anagrafe/testing/console';
import { getText, type TestService } from '@anagrafe/testing/service';
import { routes } from './limited-routes.ts';
import type { Subject } from './limited-world.ts';

/** Returns the routes of `openapi.json` as `GET /path`, sorted. */
export async function documentedRoutes({ url }: TestService): Promise<string[]> {
  const response = await fetch(`${url}/openapi.json`);
  const { paths } = (await response.json()) as { paths: Record<string, Record<string, unknown>> };
  return Object.entries(paths)
    .filter(([path]) => /^\/(api|admin)\//.test(path))
    .flatMap(([path, methods]) => Object.keys(methods).map((method) => `${method.toUpperCase()} ${path}`))
    .toSorted();
}

export interface Asked {
  readonly status: number;
  readonly text: string;
}

/** Sends the requests of a route that name the subject, as a caller. The first one changes nothing. */
export async function ask(
  service: TestService,
  caller: Record<string, string>,
  route: string,
  of: Subject,
  count?: number,
): Promise<Asked[]> {
  const requests = routes[route];
  if (typeof requests !== 'function') throw new Error(`${route} has no requests`);
  const [method = ''] = route.split(' ');
  const answers: Asked[] = [];
  for (const { path, body, headers } of requests(of).slice(0, count)) {
    const sent = { ...caller, ...headers };
    const answer: Asked | BrowserAnswer =
      method === 'GET'
        ? await getText(service, path, sent).then(({ status, text }) => ({ status, text }))
        : await browserOf(service)(`${method} ${path}`, sent, body);
    answers.push({ status: answer.status, text: answer.text });
  }
  return answers;
}

/** Replaces what names the subject, so that the answers about two subjects can be compared. */
export function neutral(answers: readonly Asked[], of: Subject): Asked[] {
  const names = Object.entries(of).map(([name, value]) => [name, String(value)] as const);
  return answers.map(({ status, text }) => ({
    status,
    text: names
      .reduce(
        (shown, [name, value]) => shown.replaceAll(new RegExp(`\\b${value}\\b`, 'g'), `<${name}>`),
        text,
      )
      .replaceAll(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, '<uuid>')
      .replaceAll(/\d{4}-\d\d-\d\dT[\d:.]+Z/g, '<time>')
      .replaceAll(/"(Position|id|After)":("?)[\d.]+/g, '"$1":$2<number>')
      .replaceAll(/"Plan":"[^"]+"/g, '"Plan":"<plan>"'),
  }));
}
