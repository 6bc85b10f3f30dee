const endings: (() => Promise<void> | void)[] = [];

/** Has something done when the test file ends. */
export function atEnd(ending: () => Promise<void> | void): void {
  endings.push(ending);
}

export async function endAll(): Promise<void> {
  for (const ending of endings.splice(0)) await ending();
}
