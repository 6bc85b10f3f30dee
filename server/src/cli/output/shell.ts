// The arguments of commands that this program prints and that the operator may paste into a shell. Values such as column
// names come from files of other people: the shell must not expand anything in them.

/** Quotes a value: in double quotes, which all shells know, unless it has a character that is special in them. */
export function quoted(value: string): string {
  return /["$`\\!]/.test(value) ? `'${value.replaceAll("'", `'\\''`)}'` : `"${value}"`;
}

/** Quotes a value if necessary. */
export function argument(value: string): string {
  return /^[\w@%+=:,./-]+$/.test(value) ? value : quoted(value);
}
