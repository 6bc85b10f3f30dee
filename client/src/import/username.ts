/**
 * The same for usernames that the service takes for the same: without regard to case and width. Other forms that look alike cannot be in
 * one. Near enough to tell rows apart; the service has the last word.
 */
export function foldedUsername(username: string): string {
  return username.normalize('NFKC').toLowerCase();
}
