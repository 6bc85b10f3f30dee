/**
 * Sends a request and reads its answer, both within `limitMs`. The timer keeps the process alive, unlike that of
 * `AbortSignal.timeout`: `fetch` never settles if the server closes a new connection before the request is sent, and
 * the command would then end at once, without a result and with exit code 0.
 */
export async function fetchInTime<Result>(
  url: string,
  { limitMs, ...init }: RequestInit & { readonly limitMs: number },
  read: (answer: Response) => Promise<Result>,
): Promise<Result> {
  const controller = new AbortController();
  const expire = () => controller.abort(new Error(`no answer within ${limitMs / 1000} seconds`));
  const timer = setTimeout(expire, limitMs);
  try {
    return await read(await fetch(url, { ...init, signal: controller.signal }));
  } finally {
    clearTimeout(timer);
  }
}
