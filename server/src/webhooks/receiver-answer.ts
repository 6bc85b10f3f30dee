import type { IncomingMessage } from 'node:http';

/** Characters of a response body that are stored, so that an operator can find the cause of a failed delivery. */
const maxCharacters = 1000;
/** A UTF-8 character has at most four bytes. */
const maxBytes = 4 * maxCharacters;
/** Time limit for the body, counted from the arrival of the status. */
const bodyTimeoutMs = 1000;

/**
 * Reads the beginning of a response body, up to the size limit, the end of the stream, an abort or the timeout.
 * Resolves to null if nothing arrived; never rejects.
 */
export function readAnswer(response: IncomingMessage): Promise<string | null> {
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    let left = maxBytes;
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
    const timer = setTimeout(finish, bodyTimeoutMs);
    response.on('data', take);
    response.once('close', finish);
  });
}

/**
 * Control and format characters: they can send terminal commands, change the text direction or be invisible.
 * Newline, tab and the joiners ZWNJ and ZWJ are allowed.
 */
const unsafeCharacter = /(?![\n\t\u200C\u200D])[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

/** A signature of a delivery. Error pages that echo the request headers contain it. */
const signature = /v1,[^\s"'<>]{40,}/g;

/**
 * Decodes a body and redacts signatures. U+FFFD replaces unsafe characters and invalid UTF-8. The decoder drops an
 * incomplete character at the end.
 */
function textOf(answer: Buffer): string {
  const text = new TextDecoder().decode(answer, { stream: true });
  const lines = text.replaceAll(/\r\n?/g, '\n').replaceAll(signature, 'v1,…');
  return [...lines.replaceAll(unsafeCharacter, '\u{FFFD}')].slice(0, maxCharacters).join('');
}
