/** Gives a person a file to keep, under this name. */
export function saveFile(name: string, content: readonly string[], type = ''): void {
  const url = URL.createObjectURL(new Blob([...content], { type }));
  Object.assign(document.createElement('a'), { href: url, download: name }).click();
  // The browser reads it when it gets to it.
  window.setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
