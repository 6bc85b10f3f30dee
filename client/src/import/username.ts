/**
 * Normalises case and width, so that usernames the service treats as equal become equal strings. This approximates the
 * PRECIS profile of the service and serves to compare rows; the service decides.
 */
export function foldedUsername(username: string): string {
  return username.normalize('NFKC').toLowerCase();
}
