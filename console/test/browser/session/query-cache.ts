import type { Page } from 'playwright-core';

interface QueryCache {
  readonly queries: readonly { queryKey: readonly unknown[]; state: { dataUpdateCount: number } }[];
  readonly mutations: readonly unknown[];
}

/** Reads the TanStack Query cache of the console through the component tree of React. */
export function cacheOf(page: Page): Promise<QueryCache> {
  return page.evaluate(`(() => {
    const root = document.getElementById('root');
    const name = Object.keys(root).find((key) => key.startsWith('__reactContainer$'));
    const find = (fiber) =>
      fiber && (fiber.memoizedProps?.client?.getMutationCache ? fiber : find(fiber.child) || find(fiber.sibling));
    const { client } = find(root[name].stateNode.current).memoizedProps;
    const queries = client.getQueryCache().getAll().map(({ queryKey, state }) => ({ queryKey, state }));
    const mutations = client.getMutationCache().getAll().map(({ state }) => state);
    return JSON.parse(JSON.stringify({ queries, mutations }));
  })()`);
}
