const codes = { green: 32, red: 31, yellow: 33, grey: 90, bold: 1 };

/** Colours are for a terminal that has them, and for people who want them (https://no-color.org). */
export function paint(stream: NodeJS.WriteStream, colour: keyof typeof codes, text: string): string {
  const wanted = text !== '' && stream.isTTY && !process.env.NO_COLOR && process.env.TERM !== 'dumb';
  return wanted ? `\u001b[${codes[colour]}m${text}\u001b[0m` : text;
}
