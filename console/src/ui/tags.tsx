import { Badge, Group, TextInput, type TextInputProps } from '@mantine/core';
import { useTagsMessages } from '../i18n/language.tsx';
import type { SearchTerm } from './filters.tsx';

/** Returns the tags of a text, which have commas or spaces between them. */
export function tagsIn(text: string): string[] {
  return text.split(/[\s,;]+/).filter((tag) => tag !== '');
}

/** The tags of principals that a new client or operator is limited to. */
export function LimitField(props: TextInputProps) {
  const messages = useTagsMessages();
  return (
    <TextInput
      label={messages.label}
      description={messages.hint}
      autoComplete="off"
      spellCheck={false}
      {...props}
    />
  );
}

/** A filter for rows with one of the tags. */
export function TagFilter({ label, tags }: { label: string; tags: SearchTerm }) {
  const { filter } = useTagsMessages();
  return (
    <TextInput
      aria-label={label}
      placeholder={filter}
      value={tags.typed}
      onChange={(event) => tags.type(event.currentTarget.value)}
      maxLength={200}
      autoComplete="off"
      spellCheck={false}
      w={{ base: '100%', sm: 160 }}
    />
  );
}

export function Tags({ tags }: { tags: readonly string[] | null }) {
  if (tags === null) return null;
  return (
    <Group gap={4}>
      {tags.map((tag) => (
        <Badge key={tag} variant="default" fw={500} tt="none" flex="none">
          {tag}
        </Badge>
      ))}
    </Group>
  );
}
