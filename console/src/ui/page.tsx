import { Anchor, Box, Button, Group, Paper, Stack, Text, Title } from '@mantine/core';
import { createContext, type ReactNode, useContext, useEffect, useId, useRef } from 'react';
import { Link } from 'wouter';
import { useCommonMessages } from '../i18n/language.tsx';

/** True for the visible page; false for one that `KeepAlive` keeps mounted while it is hidden. */
export const ActivePage = createContext(true);

export function useIsActivePage(): boolean {
  return useContext(ActivePage);
}

interface SurfaceProps {
  readonly title: string;
  readonly actions?: ReactNode;
  /** Removes the padding, for content that reaches the edges, such as a table. */
  readonly flush?: boolean;
  readonly children: ReactNode;
}

export function Surface({ title, actions, flush = false, children }: SurfaceProps) {
  const id = useId();
  return (
    <Paper component="section" aria-labelledby={id} withBorder p={flush ? 0 : 'lg'} h="100%">
      <Group justify="space-between" mb="md" {...(flush && { px: 'lg', pt: 'lg' })}>
        <Title order={2} size="h5" id={id}>
          {title}
        </Title>
        {actions}
      </Group>
      {children}
    </Paper>
  );
}

interface PageProps {
  readonly title: string;
  readonly intro?: string;
  readonly back?: { readonly href: string; readonly name: string };
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** The path of the page that was visible last; null before the first page. */
let lastPath: string | null = null;

/** A page with its heading. Sets the document title, and focuses the heading after navigation from another page. */
export function Page({ title, intro, back, actions, children }: PageProps) {
  const { product } = useCommonMessages();
  const heading = useRef<HTMLHeadingElement>(null);
  const isActive = useIsActivePage();

  useEffect(() => {
    if (isActive) document.title = `${title} · ${product}`;
  }, [title, product, isActive]);

  useEffect(() => {
    if (!isActive) return;
    const { pathname } = window.location;
    if (lastPath !== null && lastPath !== pathname) heading.current?.focus();
    lastPath = pathname;
  }, [isActive]);

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

interface NotFoundProps {
  readonly title?: string;
  readonly text?: string;
  /** The link to the list; without it, to the overview. */
  readonly back?: { readonly href: string; readonly name: string };
}

/** Replaces a page whose URL names nothing that exists. */
export function NotFound({ title, text, back }: NotFoundProps) {
  const { notFound } = useCommonMessages();
  return (
    <Page title={title ?? notFound.title} intro={text ?? notFound.text}>
      <div>
        <Button component={Link} href={back?.href ?? '/'}>
          {back?.name ?? notFound.action}
        </Button>
      </div>
    </Page>
  );
}

/** Reads the ID of an object from the URL; null unless it is a positive integer of at most 15 digits. */
export function idOf(text: string): number | null {
  return /^[1-9]\d{0,14}$/.test(text) ? Number(text) : null;
}
