import { Button } from '@mantine/core';
import { type FocusEvent, useState } from 'react';
import { flushSync } from 'react-dom';
import { useFormats } from '../../language/formats.ts';
import { arrive } from './arrive.ts';
import { jsonOf, withJson, withoutPasswords } from './json.ts';
import classes from './json-field.module.css';
import { type Row, recordIn } from './row.ts';
import { useWords } from './words.ts';

interface JsonFieldProps {
  /** Which it is, for those who listen. */
  readonly label: string;
  readonly row: Row;
  readonly wrong: boolean;
  /** Of what says why. */
  readonly describedBy: string;
  readonly onChange: (row: Row) => void;
}

/** More than these would have to be looked for in it anyway, and are only shown when someone wants to. */
const usersShown = 20;

/** A row as JSON that can be mended. Its passwords are seen while one is in it. */
export function JsonField(props: JsonFieldProps) {
  const { rows } = useWords();
  const { number } = useFormats();
  const Users = recordIn(props.row)?.Users;
  const users = Array.isArray(Users) ? Users.length : 0;
  const [asked, setAsked] = useState(false);
  if (users <= usersShown || asked) return <Lines {...props} asked={asked} />;
  return (
    <Button
      variant="default"
      size="xs"
      onClick={() => setAsked(true)}
      aria-label={`${rows.open(number(users))}: ${props.label}`}
    >
      {rows.open(number(users))}
    </Button>
  );
}

function Lines({ label, row, wrong, describedBy, onChange, asked }: JsonFieldProps & { asked: boolean }) {
  const [typed, setTyped] = useState(() => jsonOf(row));
  const [within, setWithin] = useState(false);
  const lines = typed.split('\n');
  function enter({ currentTarget: field }: FocusEvent<HTMLTextAreaElement>): void {
    const { selectionStart, selectionEnd } = field;
    // At once, and with the cursor where it is: what is typed next is not for the dots.
    flushSync(() => setWithin(true));
    field.setSelectionRange(selectionStart, selectionEnd);
  }
  function leave(): void {
    setWithin(false);
    if (typed === jsonOf(row)) return;
    const mended = withJson(row, typed);
    setTyped(jsonOf(mended));
    onChange(mended);
  }
  return (
    <div className={classes.field} data-wrong={wrong || undefined}>
      <pre className={classes.numbers} aria-hidden>
        {lines.map((_, at) => at + 1).join('\n')}
      </pre>
      <textarea
        className={classes.text}
        ref={asked ? arrive : null}
        aria-label={label}
        {...(wrong && { 'aria-invalid': true, 'aria-describedby': describedBy })}
        rows={lines.length}
        cols={lines.reduce((widest, { length }) => Math.max(widest, length), 40) + 2}
        wrap="off"
        value={within ? typed : withoutPasswords(typed)}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onFocus={enter}
        onBlur={leave}
        autoComplete="off"
        spellCheck={false}
      />
    </div>
  );
}
