import type { ImportField } from '@anagrafe/importer';
import { Button, TextInput } from '@mantine/core';
import { type FocusEvent, useState } from 'react';
import { flushSync } from 'react-dom';
import { useFormats } from '../../i18n/formats.ts';
import { useImportMessages } from '../../i18n/language.tsx';
import { focusOnMount } from '../../ui/focus.ts';
import classes from './import.module.css';
import { jsonOf, type Row, recordIn, withJson, withoutPasswords } from './users-file.ts';

interface FieldProps {
  /** Accessible name; the field has no visible label. */
  readonly label: string;
  readonly wrong: boolean;
  /** ID of the element that lists the errors. */
  readonly describedBy: string;
}

interface CellProps extends FieldProps {
  readonly text: string;
  readonly secret: boolean;
  readonly onChange: (text: string) => void;
}

/** Returns true for fields whose values are masked on the screen. */
export function isSecret(field: ImportField | null): boolean {
  return field === 'Password' || field === 'ConfirmPassword';
}

/**
 * Editable cell of a row. Calls `onChange` on blur or Enter if the text has changed. A secret is readable only while
 * its cell has the focus.
 */
export function Cell({ label, text, secret, wrong, describedBy, onChange }: CellProps) {
  const [typed, setTyped] = useState(text);
  const [focused, setFocused] = useState(false);
  const commit = () => typed !== text && onChange(typed);
  return (
    <TextInput
      aria-label={label}
      {...(wrong && { error: true, 'aria-describedby': describedBy })}
      type={secret && !focused ? 'password' : 'text'}
      value={typed}
      onChange={(event) => setTyped(event.currentTarget.value)}
      onFocus={() => setFocused(true)}
      onBlur={() => {
        setFocused(false);
        commit();
      }}
      onKeyDown={(event) => event.key === 'Enter' && commit()}
      autoComplete="off"
      spellCheck={false}
      classNames={{ input: classes.cell ?? '' }}
    />
  );
}

interface JsonFieldProps extends FieldProps {
  readonly row: Row;
  readonly onChange: (row: Row) => void;
}

/** A record with more users is collapsed until the user opens it. */
const usersShown = 20;

/** JSON editor for one row. Its passwords are readable only while the editor has the focus. */
export function JsonField(props: JsonFieldProps) {
  const { rows } = useImportMessages();
  const { number } = useFormats();
  const Users = recordIn(props.row)?.Users;
  const users = Array.isArray(Users) ? Users.length : 0;
  const [asked, setAsked] = useState(false);
  if (users <= usersShown || asked) return <Editor {...props} asked={asked} />;
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

function Editor({ label, row, wrong, describedBy, onChange, asked }: JsonFieldProps & { asked: boolean }) {
  const [typed, setTyped] = useState(() => jsonOf(row));
  const [focused, setFocused] = useState(false);
  const lines = typed.split('\n');
  function showPasswords({ currentTarget: field }: FocusEvent<HTMLTextAreaElement>): void {
    const { selectionStart, selectionEnd } = field;
    // Render synchronously and restore the selection, so that the next key press cannot edit the masked text.
    flushSync(() => setFocused(true));
    field.setSelectionRange(selectionStart, selectionEnd);
  }
  function commit(): void {
    setFocused(false);
    if (typed === jsonOf(row)) return;
    const corrected = withJson(row, typed);
    setTyped(jsonOf(corrected));
    onChange(corrected);
  }
  return (
    <div className={classes.field} data-wrong={wrong || undefined}>
      <pre className={classes.numbers} aria-hidden>
        {lines.map((_, at) => at + 1).join('\n')}
      </pre>
      <textarea
        className={classes.text}
        ref={asked ? focusOnMount : null}
        aria-label={label}
        {...(wrong && { 'aria-invalid': true, 'aria-describedby': describedBy })}
        rows={lines.length}
        cols={lines.reduce((widest, { length }) => Math.max(widest, length), 40) + 2}
        wrap="off"
        value={focused ? typed : withoutPasswords(typed)}
        onChange={(event) => setTyped(event.currentTarget.value)}
        onFocus={showPasswords}
        onBlur={commit}
        autoComplete="off"
        spellCheck={false}
      />
    </div>
  );
}
