import { Anchor, Box, Group, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, useEffect, useRef } from 'react';
import { Link } from 'wouter';
import { useWords } from '../language/words.ts';
import { useHere } from './here.ts';

interface PageProps {
  readonly title: string;
  /** One sentence: what this page is for. */
  readonly intro?: string;
  /** The page that this one belongs to. */
  readonly back?: { readonly href: string; readonly name: string };
  /** Buttons at the right of the heading. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** Where the reader was; null before the first page. */
let lastPath: string | null = null;

/** A page with its heading, which is the title of the document and is focused when one comes from another page. */
export function Page({ title, intro, back, actions, children }: PageProps) {
  const { product } = useWords();
  const heading = useRef<HTMLHeadingElement>(null);
  const here = useHere();

  useEffect(() => {
    if (here) document.title = `${title} · ${product}`;
  }, [title, product, here]);

  useEffect(() => {
    if (!here) return;
    const { pathname } = window.location;
    if (lastPath !== null && lastPath !== pathname) heading.current?.focus();
    lastPath = pathname;
  }, [here]);

  return (
    <Stack gap="lg">
      <Group justify="space-between" align="flex-end" gap="md">
        <Box maw={720}>
          {back && (
            <Anchor component={Link} href={back.href} size="sm">
              {back.name}
            </Anchor>
          )}
          <Title order={1} size="h2" ref={heading} tabIndex={-1}>
            {title}
          </Title>
          {intro && (
            <Text c="dimmed" mt={4}>
              {intro}
            </Text>
          )}
        </Box>
        {actions && <Group gap="sm">{actions}</Group>}
      </Group>
      {children}
    </Stack>
  );
}
