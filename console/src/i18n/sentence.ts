/** Ends a text with a period, unless it ends with a name that has one, such as `Rossi S.r.l.`. */
export const sentence = (text: string) => (text.endsWith('.') ? text : `${text}.`);
