import { Kbd, Loader, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { type KeyboardEvent, useId, useState } from 'react';
import { useLocation } from 'wouter';
import { useSession } from '../features/session/session.ts';
import { nameOf, useFoundPrincipals } from '../features/users/find-principals.ts';
import { useFoundUsers } from '../features/users/queries.ts';
import { useCommonMessages } from '../i18n/language.tsx';
import { Dialog } from '../ui/dialog.tsx';
import { Icon, type IconName } from '../ui/icon.tsx';
import classes from './finder.module.css';
import { pagesFor } from './routes.ts';

interface Find {
  readonly href: string;
  readonly icon: IconName;
  readonly name: string;
  readonly hint: string;
}

const debounceMs = 150;

/** Finds the pages whose name contains the input, and the principals and users that match it. Empty input finds every page. */
function useFound(typed: string): { readonly finds: readonly Find[]; readonly busy: boolean } {
  const messages = useCommonMessages();
  const input = typed.trim();
  const [term] = useDebouncedValue(input, debounceMs);
  const principals = useFoundPrincipals(term);
  const users = useFoundUsers(term);
  const matchingPages = pagesFor(useSession().data)
    .map(({ path, icon, name }) => ({
      href: path,
      icon,
      name: messages.pages[name],
      hint: messages.finder.page,
    }))
    .filter(({ name }) => name.toLowerCase().includes(input.toLowerCase()));
  const found = <Item,>({ data }: { data: readonly Item[] | undefined }) => (input !== '' && data) || [];
  const foundPrincipals = found(principals).map((principal) => ({
    href: `/principals/${principal.ID}`,
    icon: 'people' as const,
    name: nameOf(principal),
    hint: [`ID ${principal.ID}`, principal.ExternalKey, principal.Vatnumber].filter(Boolean).join(' · '),
  }));
  const shows = ({ name, hint }: Find) => `${name} ${hint}`.toLowerCase().includes(input.toLowerCase());
  return {
    finds: [
      ...matchingPages,
      ...foundPrincipals.filter(shows),
      ...found(users).map(({ ID, Username, Email, Denomination, ExternalKey }) => ({
        href: `/users/${ID}`,
        icon: 'user' as const,
        name: Username,
        hint: [Email, Denomination ?? ExternalKey].filter(Boolean).join(' · '),
      })),
      // They match by the username of one of these users.
      ...foundPrincipals.filter((find) => !shows(find)),
    ],
    busy: input !== term || principals.isFetching || users.isFetching,
  };
}

export function Finder({ onClose }: { onClose: () => void }) {
  const { finder } = useCommonMessages();
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
    <Dialog title={finder.title} onClose={onClose}>
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
          // biome-ignore lint/a11y/useKeyWithClickEvents: the text field keeps the focus and handles the keys
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
