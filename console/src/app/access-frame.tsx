import { Group, Paper, Stack, Text, Title } from '@mantine/core';
import { type ReactNode, type Ref, useEffect } from 'react';
import { useCommonMessages } from '../i18n/language.tsx';
import { LanguageSwitch, SchemeSwitch } from './preferences.tsx';
import { Brand } from './shell.tsx';
import classes from './sign-in.module.css';

interface AccessFrameProps {
  readonly title: string;
  readonly intro?: string;
  readonly headingRef?: Ref<HTMLHeadingElement>;
  /** More buttons beside those for the language and the colours. */
  readonly actions?: ReactNode;
  readonly children: ReactNode;
}

/** The page around a form that stands before the console: the sign-in, the password of an invitation, the second factor. */
export function AccessFrame({ title, intro, headingRef, actions, children }: AccessFrameProps) {
  const { product } = useCommonMessages();
  useEffect(() => {
    document.title = `${title} · ${product}`;
  }, [title, product]);
  return (
    <div className={classes.ground}>
      <header className={classes.header}>
        <Group gap="sm">
          <Brand />
        </Group>
        <Group gap="xs">
          <LanguageSwitch />
          <SchemeSwitch />
          {actions}
        </Group>
      </header>
      <main className={classes.main}>
        <Paper withBorder p={{ base: 'lg', sm: 'xl' }} w="100%" maw={440} radius="lg">
          <Stack>
            <div>
              <Title order={1} size="h3" ref={headingRef} tabIndex={-1}>
                {title}
              </Title>
              {intro && (
                <Text c="dimmed" size="sm" mt={4}>
                  {intro}
                </Text>
              )}
            </div>
            {children}
          </Stack>
        </Paper>
      </main>
    </div>
  );
}
