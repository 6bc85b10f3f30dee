// What a limited caller sees. This is the only place that decides it: every store that reads or writes principals, or what
// belongs to them, has one of these conditions.

/** The tags of a limited caller, which sees only principals that have one of them; null for a caller that is not limited. */
export type CallerTags = readonly string[] | null;

/** True if a caller sees a principal with these tags. */
export function isVisible(tags: readonly string[] | null, callerTags: CallerTags): boolean {
  return callerTags === null || (tags?.some((tag) => callerTags.includes(tag)) ?? false);
}

/** The tags of a principal that a caller sees: its own. */
export function shownTags(tags: readonly string[] | null, callerTags: CallerTags): readonly string[] | null {
  const shown = tags?.filter((tag) => callerTags === null || callerTags.includes(tag)) ?? [];
  return shown.length === 0 ? null : shown;
}

/** The tags that select the principals of a list or an export; null selects all. */
export function selectedTags(
  requested: readonly string[] | null,
  callerTags: CallerTags,
): readonly string[] | null {
  return requested?.filter((tag) => callerTags === null || callerTags.includes(tag)) ?? callerTags;
}

// The conditions in SQL. `callerTags` is the parameter with the tags of the caller, such as `$2`.

const unlessLimited = (callerTags: string, condition: string) =>
  `(${callerTags}::text[] is null or ${condition})`;

/** `principals` is the name or alias of the table of principals. */
export function seesPrincipal(principals: string, callerTags: string): string {
  return unlessLimited(callerTags, `${principals}.tags && ${callerTags}::text[]`);
}

/** `id` is a column with the ID of a principal. */
export function seesPrincipalId(id: string, callerTags: string): string {
  return unlessLimited(callerTags, `exists (${visiblePrincipal(id, callerTags)})`);
}

/** `id` is a column with the ID of a user. */
export function seesUserId(id: string, callerTags: string): string {
  return unlessLimited(
    callerTags,
    `exists (select from anagrafe.users as seen_user
      where seen_user.id = ${id} and exists (${visiblePrincipal('seen_user.principal_id', callerTags)}))`,
  );
}

/** Also true for a deleted principal that had one of the tags. */
export function sawPrincipalId(id: string, callerTags: string): string {
  return unlessLimited(
    callerTags,
    `(exists (${visiblePrincipal(id, callerTags)}) or exists (
       select from anagrafe.deleted_principals as seen where seen.id = ${id} and seen.tags && ${callerTags}::text[]))`,
  );
}

/**
 * `clientId` is a column with the ID of the client or operator that did something. A limited caller sees what it did itself,
 * and what was done by callers that see nothing else than it does.
 */
export function seesCaller(clientId: string, callerTags: string): string {
  return unlessLimited(
    callerTags,
    `exists (select from anagrafe.clients as doer where doer.id = ${clientId} and doer.tags <@ ${callerTags}::text[])`,
  );
}

function visiblePrincipal(id: string, callerTags: string): string {
  return `select from anagrafe.principals as seen where seen.id = ${id} and seen.tags && ${callerTags}::text[]`;
}
