import { Kbd, Loader, Text, TextInput } from '@mantine/core';
import { type KeyboardEvent, useId, useState } from 'react';
import { useLocation } from 'wouter';
import { useWords } from '../language/words.ts';
import { Dialog } from '../parts/dialog.tsx';
import { Icon } from '../parts/icon.tsx';
import classes from './finder.module.css';
import { type Find, useFound } from './found.ts';

/** Finds pages and principals by what is typed, and goes there. */
export function Finder({ onClose }: { onClose: () => void }) {
  const { finder } = useWords();
  const [, goTo] = useLocation();
  const [typed, setTyped] = useState('');
  const [at, setAt] = useState(0);
  const { finds, busy } = useFound(typed);
  const list = useId();
  const chosen = Math.min(at, finds.length - 1);

  function go({ href }: Find) {
    onClose();
    goTo(href);
  }

  function press(event: KeyboardEvent) {
    const find = finds[chosen];
    const steps: Record<string, number> = { ArrowDown: 1, ArrowUp: -1 };
    const step = steps[event.key];
    if (step !== undefined && finds.length > 0) {
      event.preventDefault();
      setAt((chosen + step + finds.length) % finds.length);
    } else if (event.key === 'Enter' && find) {
      event.preventDefault();
      go(find);
    }
  }

  return (
    <Dialog title={finder.title} opened onClose={onClose}>
      <TextInput
        aria-label={finder.label}
        placeholder={finder.placeholder}
        value={typed}
        onChange={(event) => {
          setTyped(event.currentTarget.value);
          setAt(0);
        }}
        onKeyDown={press}
        leftSection={busy ? <Loader size={16} aria-hidden /> : <Icon name="search" />}
        role="combobox"
        aria-expanded={finds.length > 0}
        aria-controls={list}
        aria-activedescendant={finds.length > 0 ? `${list}-${chosen}` : undefined}
        aria-autocomplete="list"
        autoComplete="off"
        spellCheck={false}
        maxLength={200}
        data-autofocus
      />
      <div id={list} role="listbox" aria-label={finder.found} className={classes.list}>
        {finds.map((find, n) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field, which keeps the focus
          <div
            key={find.href}
            id={`${list}-${n}`}
            role="option"
            tabIndex={-1}
            aria-selected={n === chosen}
            className={classes.find}
            ref={n === chosen ? intoView : undefined}
            onMouseMove={() => setAt(n)}
            onClick={() => go(find)}
          >
            <Icon name={find.icon} />
            <Text span truncate>
              {find.name}
            </Text>
            <Text span size="xs" c="dimmed" className={classes.hint ?? ''} truncate>
              {find.hint}
            </Text>
          </div>
        ))}
      </div>
      {finds.length === 0 && !busy && (
        <Text size="sm" c="dimmed" p="sm" role="status">
          {finder.nothing}
        </Text>
      )}
      <Text size="xs" c="dimmed" mt="sm" visibleFrom="sm">
        <Kbd>↑</Kbd> <Kbd>↓</Kbd> {finder.choose} · <Kbd>Enter</Kbd> {finder.go} · <Kbd>Esc</Kbd>{' '}
        {finder.close}
      </Text>
    </Dialog>
  );
}

function intoView(option: HTMLElement | null): void {
  option?.scrollIntoView({ block: 'nearest' });
}
