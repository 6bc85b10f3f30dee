/** Starts a download of the content as a file with this name. */
export function saveFile(name: string, content: readonly string[], type = ''): void {
  const url = URL.createObjectURL(new Blob([...content], { type }));
  Object.assign(document.createElement('a'), { href: url, download: name }).click();
  // The browser reads the blob after `click` has returned, so that its URL must stay valid for a while.
  window.setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
