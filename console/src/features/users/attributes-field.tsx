import type { Attributes } from '@anagrafe/client';
import { Button, Fieldset, Group, SimpleGrid, Stack, Text, TextInput } from '@mantine/core';
import { useRef, useState } from 'react';
import { useUsersMessages } from '../../i18n/language.tsx';
import { focusOnMount } from '../../ui/focus.ts';
import { Icon, IconButton } from '../../ui/icon.tsx';

/** One attribute in the form. `key` identifies its row while the name is being typed. */
export interface AttributeInput {
  readonly key: number;
  readonly name: string;
  readonly value: string;
}

/** The most attributes that a user can have. */
const maxAttributes = 20;
/** The names that the service accepts. It reports wrong names for all attributes together; this marks them. */
const validName = /^[\w.-]{1,64}$/;

export function attributeInputs(attributes: Attributes): readonly AttributeInput[] {
  return Object.entries(attributes).map(([name, value], key) => ({ key, name, value }));
}

/** Returns the attributes of the form without its empty rows. */
export function attributesOf(inputs: readonly AttributeInput[]): Attributes {
  const entries = inputs.map(({ name, value }) => [name.trim(), value] as const);
  return Object.fromEntries(entries.filter(([name, value]) => name !== '' || value !== ''));
}

/** Returns true if both have the same names and values, in any order. */
export function areSameAttributes(one: Attributes, other: Attributes): boolean {
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => one[name] === other[name]);
}

/** Returns the names that occur more than once: only one attribute of each could be saved. */
export function repeatedNames(inputs: readonly AttributeInput[]): ReadonlySet<string> {
  const names = inputs.map(({ name }) => name.trim()).filter((name) => name !== '');
  return new Set(names.filter((name, at) => names.indexOf(name) !== at));
}

interface AttributesFieldProps {
  readonly inputs: readonly AttributeInput[];
  readonly onChange: (inputs: readonly AttributeInput[]) => void;
  /** Returns the error of the attribute with a name, or with null that of all attributes. */
  readonly errorAt: (name: string | null) => string | undefined;
  readonly busy: boolean;
}

/** Names and values that the service stores and returns without interpreting them. */
export function AttributesField({ inputs, onChange, errorAt, busy }: AttributesFieldProps) {
  const { attributes: messages } = useUsersMessages();
  const replace = (key: number, part: Partial<AttributeInput>) =>
    onChange(inputs.map((input) => (input.key === key ? { ...input, ...part } : input)));
  const [added, setAdded] = useState<number | null>(null);
  const addButton = useRef<HTMLButtonElement>(null);
  const repeated = repeatedNames(inputs);
  const error = errorAt(null);

  function add() {
    const key = Math.max(-1, ...inputs.map((input) => input.key)) + 1;
    onChange([...inputs, { key, name: '', value: '' }]);
    setAdded(key);
  }
  function remove(key: number) {
    onChange(inputs.filter((input) => input.key !== key));
    addButton.current?.focus();
  }

  return (
    <Fieldset legend={messages.label}>
      <Stack gap="xs" align="flex-start">
        {inputs.map(({ key, name, value }, at) => (
          <Group key={key} gap="xs" wrap="nowrap" align="flex-start" w="100%">
            <SimpleGrid cols={{ base: 1, xs: 2 }} spacing="xs" verticalSpacing="xs" flex={1}>
              <TextInput
                ref={key === added ? focusOnMount : null}
                aria-label={messages.name(at + 1)}
                placeholder={messages.namePlaceholder}
                value={name}
                onChange={(event) => replace(key, { name: event.currentTarget.value })}
                readOnly={busy}
                autoComplete="off"
                spellCheck={false}
                error={
                  repeated.has(name.trim())
                    ? messages.repeated
                    : error !== undefined && !validName.test(name.trim())
                }
              />
              <TextInput
                aria-label={messages.value(at + 1)}
                placeholder={messages.valuePlaceholder}
                value={value}
                onChange={(event) => replace(key, { value: event.currentTarget.value })}
                readOnly={busy}
                autoComplete="off"
                error={errorAt(name.trim())}
              />
            </SimpleGrid>
            <IconButton
              icon="close"
              label={messages.remove(at + 1)}
              disabled={busy}
              onClick={() => remove(key)}
            />
          </Group>
        ))}
        {error && (
          <Text size="xs" c="var(--mantine-color-error)" role="alert">
            {error}
          </Text>
        )}
        <Button
          ref={addButton}
          variant="default"
          size="xs"
          leftSection={<Icon name="plus" size={14} />}
          disabled={busy || inputs.length >= maxAttributes}
          onClick={add}
        >
          {messages.add}
        </Button>
      </Stack>
    </Fieldset>
  );
}
