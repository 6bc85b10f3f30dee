import type { IncomingMessage } from 'node:http';

/** So much of an answer is kept, for whoever has to find out what is wrong. */
const characters = 1000;
/** A character of UTF-8 has at most four bytes. */
const bytes = 4 * characters;
/** How long the text is waited for once the status is there. */
const patienceMs = 1000;

/**
 * The beginning of an answer, as far as it has come when enough of it is there, it ends, breaks off, or keeps one waiting.
 * Null where that is nothing. It never throws.
 */
export function readAnswer(response: IncomingMessage): Promise<string | null> {
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    let left = bytes;
    const take = (piece: Buffer) => {
      pieces.push(piece.subarray(0, left));
      left -= piece.length;
      if (left <= 0) finish();
    };
    const finish = () => {
      clearTimeout(timer);
      response.off('data', take);
      response.off('close', finish);
      resolve(textOf(Buffer.concat(pieces)) || null);
    };
    const timer = setTimeout(finish, patienceMs);
    response.on('data', take);
    response.once('close', finish);
  });
}

/** What steers a terminal, turns the direction of writing or hides itself. Lines, tabs and what joins letters stay. */
const harmful = /(?![\n\t\u200C\u200D])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A signature of ours, as pages that show the headers of a failed request give it back. */
const signature = /v1,[^\s"'<>]{40,}/g;

/** Harmful characters are shown as �, as what is no UTF-8 is. One that was cut through at the end is left off. */
function textOf(answer: Buffer): string {
  const text = new TextDecoder().decode(answer, { stream: true });
  const lines = text.replaceAll(/\r\n?/g, '\n').replaceAll(signature, 'v1,…');
  return [...lines.replaceAll(harmful, '\u{FFFD}')].slice(0, characters).join('');
}
