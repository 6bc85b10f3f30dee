// Quotes the arguments of commands that this program prints, for POSIX shells. Values such as column names come from files
// of other people, and the operator may paste the command: the shell must not expand anything in them.

/** Quotes a value: in double quotes, unless it has a character that is special in them. */
export function quoted(value: string): string {
  return /["$`\\!]/.test(value) ? `'${value.replaceAll("'", `'\\''`)}'` : `"${value}"`;
}

/** Quotes a value only if a shell would not take it as it is. */
export function quotedIfNeeded(value: string): string {
  return /^[\w@%+:,./-][\w@%+=:,./-]*$/.test(value) ? value : quoted(value);
}
